const WEEK = 7 * 86_400_000;
const parser = document.createElement('template');

/** Cards of rows, with the markup from the template. */
export function cardsOf(rows) {
  parser.innerHTML = rows.map(({ html }) => html).join('');
  return [...parser.content.querySelectorAll('.cards > *')];
}

/** Vehicles that changed within a week are new. Dates far in the future are mistakes. */
export function markNew(cards, text) {
  for (const card of cards) {
    const age = Date.now() - Date.parse(card.dataset.since);
    if (Math.abs(age) > WEEK) continue;
    const mark = document.createElement('span');
    mark.className = 'new';
    mark.textContent = text;
    card.querySelector('a').append(mark);
  }
}

export function button(className, text) {
  const node = document.createElement('button');
  node.type = 'button';
  node.className = className;
  node.textContent = text;
  return node;
}
