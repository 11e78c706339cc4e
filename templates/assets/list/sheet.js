import { unchoose } from './facets.js';

/** The dialog with the facets: from below on phones, from the side on larger screens. */
export function openSheet(form, { load, facetsOf, fail, update, change, clearAll, showFound }) {
  const dialog = form.querySelector('.filters');
  if (!dialog) return undefined;
  const place = dialog.querySelector('.facets');
  const showButton = dialog.querySelector('.shown');

  const check = ({ name, values }) =>
    [...values].map(([key, text]) => {
      const line = document.createElement('label');
      line.className = 'check';
      line.innerHTML = '<input type="checkbox"><span></span><small></small>';
      const [box, caption] = line.children;
      box.name = name;
      box.value = key;
      caption.textContent = text;
      const swatch = document.createElement('i');
      swatch.className = 'swatch';
      // The standard values are names of colours in CSS. Browsers ignore other texts.
      swatch.style.backgroundColor = key;
      if (name === 'colour' && swatch.style.backgroundColor) box.after(swatch);
      return line;
    });
  /** One end of a range. Each count updates its options, and omits options without vehicles. */
  const bound = ({ name, label, any }) => {
    const select = document.createElement('select');
    select.name = name;
    select.ariaLabel = `${label}: ${any}`;
    return select;
  };
  const fill = () => {
    let group;
    let title;
    place.replaceChildren();
    for (const facet of facetsOf()) {
      // Both ends of a range are one group.
      if (facet.label !== title?.textContent) {
        group = document.createElement('fieldset');
        title = document.createElement('legend');
        title.textContent = facet.label;
        group.append(title);
        place.append(group);
      }
      group.append(...[facet.any ? bound(facet) : check(facet)].flat());
    }
  };
  form.querySelector('.filter').addEventListener('click', () => {
    dialog.showModal();
    load().then(fill).then(update, fail);
  });
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || target.closest('.close, .shown')) dialog.close();
    if (target.closest('.shown')) showFound();
    if (target.closest('.clear')) clearAll();
  });
  dialog.addEventListener('input', ({ target }) => {
    const all = facetsOf();
    const facet = all.find(({ name }) => name === target.name);
    if (facet.any) facet.chosen.clear();
    if (facet.any ? target.value : target.checked) facet.chosen.add(target.value);
    else unchoose(facet, target.value, all);
    change();
  });

  return {
    update(countsOf, text) {
      if (!dialog.open) return;
      const countOf = countsOf();
      showButton.textContent = text;
      const all = facetsOf();
      const makes = all.find(({ name }) => name === 'make');
      for (const facet of all) {
        const nodes = place.querySelectorAll(`[name=${facet.name}]`);
        if (facet.any) {
          const [selected = ''] = facet.chosen;
          const useful = [...facet.values].filter(
            ([key]) => countOf(facet, key) || key === selected,
          );
          nodes[0].replaceChildren(
            ...[['', facet.any], ...useful].map(([key, text]) => new Option(text, key)),
          );
          nodes[0].value = selected;
          continue;
        }
        // Models of all makes would be hundreds.
        const isEarly = facet.name === 'model' && makes?.chosen.size === 0;
        for (const box of nodes) {
          box.checked = facet.chosen.has(box.value);
          const count = countOf(facet, box.value);
          box.parentNode.hidden = (isEarly || !count) && !box.checked;
          box.parentNode.lastChild.textContent = count;
        }
      }
    },
  };
}
