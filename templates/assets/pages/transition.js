/** Ignores errors of skipped page transitions, for example if a visitor clicks again. */
export function calmTransitions() {
  for (const type of ['pageswap', 'pagereveal']) {
    addEventListener(type, ({ viewTransition: transition }) => {
      transition?.ready.catch(() => {});
      transition?.finished.catch(() => {});
    });
  }
}
