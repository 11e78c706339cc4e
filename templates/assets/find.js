/*
 * Looks up a plate, as visitors type it, and opens the vehicle's embed page. It runs on a separate page
 * inside the frame, so the website around does not need access to the files of this site.
 */
import { keyAt } from '../../src/stock/plate.ts';

const { plates, embeds } = document.body.dataset;

function showGone() {
  document.querySelector('.gone').hidden = false;
  window.vehicleMediaFrame?.gone();
}

async function find() {
  const typed = new URLSearchParams(location.hash.slice(1)).get('vrm') ?? '';
  const response = await fetch(plates);
  if (!response.ok) throw new Error(String(response.status));
  const { plates: slugs } = await response.json();
  const plate = keyAt({ has: (key) => Object.hasOwn(slugs, key) }, typed);
  if (plate === undefined) return showGone();
  location.replace(`${embeds}${slugs[plate] || plate.toLowerCase()}/`);
}

find().catch(showGone);
