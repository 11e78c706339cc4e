/*
 * Search, order and filter of a list. The index is fetched when someone first reaches for it; until
 * then, and without scripts, the pages of the list are as they were built.
 */
(() => {
  const form = document.querySelector('.tools');
  const list = document.querySelector('.cards');
  const template = document.getElementById('card');
  if (!form || !list || !template) return;
  const PAGE = 48;
  const { indices, lang, none, more: moreText, failed } = form.dataset;
  const built = [...list.children];
  const pages = document.querySelectorAll('.pages, .more');
  const result = form.querySelector('.result');
  const [q, sort, video] = ['q', 'sort', 'video'].map((name) =>
    form.querySelector(`[name=${name}]`),
  );
  const plurals = new Intl.PluralRules(lang);
  const forms = JSON.parse(form.dataset.found);
  const numbers = new Intl.NumberFormat(lang);
  const compare = new Intl.Collator(lang, { numeric: true }).compare;
  let rows;
  let found = [];

  // As in src/stock/plate.ts: how plates are compared.
  const comparable = (text) =>
    text
      .normalize('NFKC')
      .toUpperCase()
      .replace(/[^\p{L}\p{N}]/gu, '');

  const more = document.createElement('button');
  more.type = 'button';
  more.className = 'button more';
  more.textContent = moreText;
  more.hidden = true;
  list.after(more);

  async function load() {
    rows ??= Promise.all(
      indices.split(' ').map(async (address) => {
        const answer = await fetch(address);
        if (!answer.ok) throw new Error(String(answer.status));
        const { url, rows: cells } = await answer.json();
        return cells.map((row) => ({
          row,
          url: `${url}${row[0]}/`,
          text: comparable(row[1] + row[2]),
        }));
      }),
    ).then((all) =>
      all.flat().sort((a, b) => (a.row[5] < b.row[5] ? 1 : a.row[5] > b.row[5] ? -1 : 0)),
    );
    rows.catch(() => {
      rows = undefined;
    });
    return rows;
  }

  const orders = {
    oldest: (a, b) => (a.row[5] < b.row[5] ? -1 : 1),
    plate: (a, b) => compare(a.row[1], b.row[1]),
    pictures: (a, b) => b.row[7] - a.row[7],
    // Those without a price come last, whichever way.
    'price-up': (a, b) => (a.row[4] || Infinity) - (b.row[4] || Infinity),
    'price-down': (a, b) => b.row[4] - a.row[4],
  };

  function card({ row, url }) {
    const [
      ,
      plate,
      name,
      price,
      ,
      date,
      dateText,
      ,
      picturesText,
      videosText,
      src,
      srcset,
      colour,
    ] = row;
    const item = template.content.cloneNode(true);
    const at = (selector) => item.querySelector(selector);
    const fill = (selector, text) => {
      if (text) at(selector).textContent = text;
      else at(selector).remove();
    };
    at('a').href = url;
    if (src) {
      const image = document.createElement('img');
      Object.assign(image, {
        alt: '',
        loading: 'lazy',
        width: 640,
        height: 480,
        className: colour,
      });
      image.sizes = template.dataset.sizes;
      image.srcset = srcset;
      image.src = src;
      at('.nocover').replaceWith(image);
    }
    at('.name').textContent = name || plate;
    if (!name) at('.name').classList.add('plate');
    fill('.price', price);
    fill('.line + .plate', name && plate);
    fill('.count', picturesText);
    if (videosText) at('.film span').textContent = videosText;
    else at('.film').remove();
    at('time').dateTime = date;
    at('time').textContent = dateText;
    return item;
  }

  function show(from) {
    const next = found.slice(from, from + PAGE).map(card);
    if (from === 0) list.replaceChildren(...next);
    else list.append(...next);
    more.hidden = list.children.length >= found.length;
  }

  function restore() {
    list.replaceChildren(...built);
    more.hidden = true;
    result.textContent = '';
    for (const node of pages) node.hidden = false;
  }

  let turn = 0;
  async function update() {
    const mine = ++turn;
    const query = new URLSearchParams(location.search);
    for (const [key, value] of [
      ['q', q.value.trim()],
      ['sort', sort.value],
      ['video', video.checked ? '1' : ''],
    ]) {
      if (value) query.set(key, value);
      else query.delete(key);
    }
    const text = query.toString();
    history.replaceState(history.state, '', location.pathname + (text && `?${text}`));
    if (!q.value.trim() && !sort.value && !video.checked) return restore();
    let all;
    try {
      all = await load();
    } catch {
      if (mine === turn) result.textContent = failed;
      return;
    }
    if (mine !== turn) return;
    const words = q.value.split(/\s+/).map(comparable).filter(Boolean);
    const whole = words.join('');
    found = all.filter(
      ({ row, text }) =>
        (!video.checked || row[9]) &&
        (text.includes(whole) || words.every((word) => text.includes(word))),
    );
    if (orders[sort.value]) found.sort(orders[sort.value]);
    for (const node of pages) node.hidden = true;
    const sentence = forms[plurals.select(found.length)] ?? forms.other;
    result.textContent = found.length
      ? sentence.replace('{n}', numbers.format(found.length))
      : none;
    show(0);
  }

  more.addEventListener('click', () => {
    const first = list.children.length;
    show(first);
    list.children[first]?.querySelector('a').focus();
  });
  form.addEventListener('focusin', () => load().catch(() => {}), { once: true });
  form.addEventListener('input', update);

  // Back from a vehicle: as it was left.
  const query = new URLSearchParams(location.search);
  if (query.has('q') || query.has('sort') || query.has('video')) {
    q.value = query.get('q') ?? '';
    sort.value = query.get('sort') ?? '';
    if (sort.selectedIndex < 0) sort.value = '';
    video.checked = query.has('video');
    update();
  }
})();
