/* The page of a withdrawn vehicle: opens the page at the dealer that lists the vehicle now. */
import { calmTransitions } from './pages/transition.js';

const { moved, dealer, slug } = document.querySelector('.withdrawn').dataset;

async function follow() {
  const dealers = await (await fetch(moved)).json();
  if (!Object.hasOwn(dealers, slug)) return;
  location.replace(new URL(`../${dealers[slug]}/${slug}/`, new URL(dealer, location.href)));
}

calmTransitions();
follow().catch(() => {});
