/**
 * A transition from page to page that does not come about, as when a visitor is quicker, is no error.
 * @param isFramed where the page is a part of another one, which does not turn: there is none then.
 */
export function calmTransitions(isFramed = false) {
  for (const type of ['pageswap', 'pagereveal']) {
    addEventListener(type, ({ viewTransition: transition }) => {
      if (!transition) return;
      for (const end of [transition.ready, transition.finished]) end.catch(() => {});
      if (isFramed) transition.skipTransition();
    });
  }
}
