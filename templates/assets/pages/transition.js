/** A transition from page to page that does not come about, as when a visitor is quicker, is no error. */
export function calmTransitions() {
  for (const type of ['pageswap', 'pagereveal']) {
    addEventListener(type, ({ viewTransition: transition }) => {
      transition?.ready.catch(() => {});
      transition?.finished.catch(() => {});
    });
  }
}
