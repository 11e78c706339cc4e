/*
 * Looks a plate up, as people type it, and goes to the vehicle's embed page. In a page of its own,
 * inside the frame: so the website around needs no permission to read our files.
 */
import { comparablePlate } from '../../src/stock/plate.ts';

const { plates, embeds } = document.body.dataset;

function showGone() {
  document.querySelector('.gone').hidden = false;
  window.vehicleMediaFrame?.gone();
}

async function find() {
  const wanted = comparablePlate(new URLSearchParams(location.hash.slice(1)).get('vrm') ?? '');
  const answer = await fetch(plates);
  if (!answer.ok) throw new Error(String(answer.status));
  const { plates: known } = await answer.json();
  if (!Object.hasOwn(known, wanted)) return showGone();
  location.replace(`${embeds}${known[wanted] || wanted.toLowerCase()}/`);
}

find().catch(showGone);
