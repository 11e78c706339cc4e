/* The page of saved vehicles. Reads each vehicle from its page, and compares up to three. */
import { storedUrls } from './saved/kept.js';

const MOST = 3;
const section = document.querySelector('.comparison');
const saved = document.querySelector('#vehicles-saved');
/** Facts of each card by label. */
const factsOf = new Map();

const make = (name, parts, more = {}) => {
  const node = Object.assign(document.createElement(name), more);
  node.append(...parts);
  return node;
};

/**
 * One column per vehicle, and one cell for a fact that all of them share. The name of a fact has a separate row, so
 * that three columns fit on a phone.
 */
function compare() {
  const boxes = [...saved.querySelectorAll('.check input')];
  const urls = storedUrls(saved.id);
  const isSaved = (box) => urls.includes(box.closest('.card').querySelector('.heart').value);
  for (const box of boxes) box.checked &&= isSaved(box);
  const chosen = boxes.filter((box) => box.checked).map((box) => box.closest('.card'));
  for (const box of boxes) {
    box.disabled = !isSaved(box) || (!box.checked && chosen.length >= MOST);
  }
  section.hidden = chosen.length < 2;
  document.querySelector('.to-comparison a').hidden = section.hidden;
  const labels = new Set(chosen.flatMap((card) => [...factsOf.get(card).keys()]));
  const heads = chosen.map((card) => {
    const { href } = card.querySelector('a');
    const text = card.querySelector('.name').textContent;
    return make('th', [make('a', [text], { href })], { scope: 'col' });
  });
  const bodies = [...labels].map((label) => {
    const texts = chosen.map((card) => factsOf.get(card).get(label) ?? '–');
    const isShared = new Set(texts).size === 1;
    const name = make('th', [label], { scope: 'rowgroup', colSpan: chosen.length });
    const cells = isShared
      ? [make('td', [texts[0]], { colSpan: chosen.length, className: 'shared' })]
      : texts.map((text) => make('td', [text]));
    return make('tbody', [make('tr', [name]), make('tr', cells)]);
  });
  section.querySelector('table').replaceChildren(make('thead', [make('tr', heads)]), ...bodies);
}

/** Fills a card from the vehicle's page. */
function fill(card, vehicle) {
  const [link, details, choice] = card.children;
  // The name of the vehicle is next to its picture.
  for (const node of vehicle.querySelectorAll('.shot img, .shot source, .play img')) {
    node.alt = '';
    node.sizes = card.parentNode.dataset.sizes;
  }
  // Only a site with several dealers names them.
  const { seller = '' } = vehicle.dataset;
  link.querySelector('.seller').append(seller);
  for (const place of link.children) {
    const { of } = place.dataset;
    const parts = of && vehicle.querySelector(of)?.childNodes;
    if (parts) place.replaceChildren(...parts);
    place.hidden = !place.childNodes.length;
  }
  for (const node of card.querySelectorAll('[aria-label]')) {
    node.ariaLabel += link.querySelector('.name').textContent;
  }
  const price = link.querySelector('.price').textContent;
  const rows = [...vehicle.querySelectorAll('.details .facts > div')];
  factsOf.set(
    card,
    new Map([
      ...(price ? [[section.dataset.price, price]] : []),
      ...rows.map(({ children: [label, text] }) => [label.textContent, text.textContent]),
      ...(seller ? [[section.dataset.dealer, seller]] : []),
    ]),
  );
  details.querySelector('dl').append(...rows);
  details.hidden = !rows.length;
  choice.hidden = !rows.length || card.parentNode !== saved;
}

for (const list of document.querySelectorAll('.cards[id]')) {
  // Visible only without cards, see saved.css, and not if their pages cannot be loaded.
  const note = () => {
    list.nextElementSibling.hidden = storedUrls(list.id).length > 0;
  };
  note();
  for (const url of storedUrls(list.id)) {
    // Added immediately and in order, so that nothing moves when the responses arrive.
    const card = list.children[0].cloneNode(true);
    card.querySelector('a').href = card.querySelector('.heart').value = url;
    list.append(card);
    const request = new XMLHttpRequest();
    request.responseType = 'document';
    request.onload = () => {
      const vehicle = request.response?.querySelector('.vehicle, .withdrawn');
      if (vehicle) return fill(card, vehicle);
      card.remove();
      // The page does not exist any more.
      if (request.status < 500) storedUrls(list.id, url);
      note();
    };
    request.onerror = () => card.remove();
    request.open('GET', url);
    request.send();
  }
}
saved.addEventListener('change', compare);
// saved.js has already saved or removed the vehicle.
addEventListener('click', ({ target }) => target.closest('.heart') && compare());
