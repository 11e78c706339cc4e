/** The dialog with the facets: from below on phones, from the side on larger screens. */
export function openSheet(form, { load, facetsOf, update, clearAll, showFound }) {
  const dialog = form.querySelector('.filters');
  if (!dialog) return undefined;
  const place = dialog.querySelector('.facets');
  const shown = dialog.querySelector('.shown');

  const fill = () =>
    place.replaceChildren(
      ...facetsOf().map(({ name, label, values }) => {
        const group = document.createElement('fieldset');
        const legend = document.createElement('legend');
        legend.textContent = label;
        group.append(legend);
        for (const [key, text] of values) {
          const line = document.createElement('label');
          line.className = 'check';
          line.innerHTML = '<input type="checkbox"><span></span><small></small>';
          const [box, written] = line.children;
          box.name = name;
          box.value = key;
          written.textContent = text;
          group.append(line);
        }
        return group;
      }),
    );
  form.querySelector('.filter').addEventListener('click', () => {
    dialog.showModal();
    load().then(fill).then(update, update);
  });
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || target.closest('.close, .shown')) dialog.close();
    if (target.closest('.shown')) showFound();
    if (target.closest('.clear')) clearAll();
  });
  dialog.addEventListener('input', ({ target }) => {
    const { chosen } = facetsOf().find(({ name }) => name === target.name);
    if (target.checked) chosen.add(target.value);
    else chosen.delete(target.value);
    update();
  });

  return {
    update(countsOf, text) {
      if (!dialog.open) return;
      const counts = countsOf();
      shown.textContent = text;
      for (const facet of facetsOf()) {
        for (const box of place.querySelectorAll(`[name=${facet.name}]`)) {
          const n = counts.get(facet).get(box.value) ?? 0;
          box.checked = facet.chosen.has(box.value);
          box.disabled = n === 0 && !box.checked;
          box.parentNode.lastChild.textContent = n;
        }
      }
    },
  };
}
