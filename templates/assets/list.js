/*
 * Search, order and filter of a list. The index is fetched when someone first reaches for it; until
 * then, and without scripts, the pages of the list are as they were built.
 */
(() => {
  const form = document.querySelector('.tools');
  const list = document.querySelector('.cards');
  if (!form || !list) return;
  const PAGE = 48;
  const VERSION = 3;
  const { indices, lang, none, more: moreText, failed } = form.dataset;
  const built = [...list.children];
  const pages = document.querySelectorAll('.pages, .more, .browse');
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

  // Letters that Unicode takes for letters of their own; upper case makes ß to SS by itself.
  const LETTERS = { Æ: 'AE', Œ: 'OE', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'TH' };
  /** What people type for a name: without accents, case, spaces and punctuation. */
  const plain = (text) =>
    text
      .normalize('NFKD')
      .toUpperCase()
      .replace(/[ÆŒØŁĐÐÞ]/g, (letter) => LETTERS[letter])
      .replace(/[^\p{L}\p{N}]/gu, '');
  /** The same with umlauts spelt out; others write those without their dots, so both are found. */
  const spelt = (text) =>
    plain(text.normalize('NFC').replace(/[äöüÄÖÜ]/g, (umlaut) => `${umlaut}e`));

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
        const index = await answer.json();
        if (index.version !== VERSION) throw new Error('This page is older than the index.');
        return index.cards.map((card, at) => {
          const text = index.plates[at] + index.names[at];
          return {
            card,
            plate: index.plates[at],
            price: index.prices[at],
            date: index.dates[at],
            pictures: index.pictures[at],
            videos: index.videos[at],
            text: [plain(text), spelt(text)].join(' '),
          };
        });
      }),
    ).then((all) => all.flat().sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0)));
    rows.catch(() => {
      rows = undefined;
    });
    return rows;
  }

  const orders = {
    oldest: (a, b) => (a.date < b.date ? -1 : 1),
    plate: (a, b) => compare(a.plate, b.plate),
    pictures: (a, b) => b.pictures - a.pictures,
    // Those without a price come last, whichever way.
    'price-up': (a, b) => (a.price || Infinity) - (b.price || Infinity),
    'price-down': (a, b) => b.price - a.price,
  };

  /** As the list shows it: made by the same template. */
  const parser = document.createElement('template');
  function card(row) {
    parser.innerHTML = row.card;
    return parser.content.querySelector('.cards').firstElementChild;
  }

  function show(from, count = PAGE) {
    const next = found.slice(from, from + count).map(card);
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
  /** @param left what was on the screen when the page was left. */
  async function update(left) {
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
    history.replaceState({ ...history.state, left }, '', location.pathname + (text && `?${text}`));
    if (!q.value.trim() && !sort.value && !video.checked) return restore();
    let all;
    try {
      all = await load();
    } catch {
      if (mine === turn) result.textContent = failed;
      return;
    }
    if (mine !== turn) return;
    const typed = q.value.split(/\s+/).filter(plain);
    const [whole, ...words] = [typed.join(''), ...typed].map((text) => [plain(text), spelt(text)]);
    found = all.filter(({ videos, text }) => {
      const has = (word) => word.some((form) => text.includes(form));
      return (!video.checked || videos) && (has(whole) || words.every(has));
    });
    if (orders[sort.value]) found.sort(orders[sort.value]);
    for (const node of pages) node.hidden = true;
    const sentence = forms[plurals.select(found.length)] ?? forms.other;
    result.textContent = found.length
      ? sentence.replace('{n}', numbers.format(found.length))
      : none;
    show(0, Math.max(PAGE, left?.count ?? 0));
    if (left) scrollTo(0, left.y);
  }

  more.addEventListener('click', () => {
    const first = list.children.length;
    show(first);
    list.children[first]?.querySelector('a').focus();
  });
  form.addEventListener('focusin', () => load().catch(() => {}), { once: true });
  form.addEventListener('input', () => update());

  // Back from a vehicle: as it was left. The browser looks for the place before the cards are there.
  for (const type of ['click', 'pagehide']) {
    addEventListener(type, () => {
      if (list.firstElementChild === built[0]) return;
      const left = { count: list.children.length, y: scrollY };
      history.replaceState({ ...history.state, left }, '');
    });
  }
  const query = new URLSearchParams(location.search);
  if (query.has('q') || query.has('sort') || query.has('video')) {
    q.value = query.get('q') ?? '';
    sort.value = query.get('sort') ?? '';
    if (sort.selectedIndex < 0) sort.value = '';
    video.checked = query.has('video');
    update(history.state?.left);
  }
})();
