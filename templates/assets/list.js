/*
 * Search, order and filter of a list. The index is fetched when someone first reaches for it; until
 * then, and without scripts, the pages of the list are as they were built.
 */
import { cardsOf, markNew } from './list/cards.js';
import { countRows, facetsOf, filterRows } from './list/facets.js';
import { plain, search } from './list/match.js';
import { loadRows } from './list/rows.js';
import { openSheet } from './list/sheet.js';
import { calmTransitions } from './pages/transition.js';
import { noteFailures } from './pictures/failed.js';

/** Cards of what is found: at first what a phone shows, the others once that is drawn, then more at a time. */
const SCREEN = 6;
const FIRST = 24;
const MORE = 48;

function start(form, list) {
  const { index, lang } = form.dataset;
  const words = JSON.parse(form.dataset.words);
  const built = [...list.children];
  const pages = document.querySelectorAll('.pages, .more, .browse');
  const result = form.querySelector('.result');
  const chips = form.querySelector('.chips');
  const [q, sort] = ['q', 'sort'].map((name) => form.querySelector(`[name=${name}]`));
  const plurals = new Intl.PluralRules(lang);
  const numbers = new Intl.NumberFormat(lang);
  const count = (forms, n) =>
    (forms[plurals.select(n)] ?? forms.other).replace('{n}', numbers.format(n));
  const compare = new Intl.Collator(lang, { numeric: true }).compare;
  let loading;
  let facets = [];
  let found = [];
  /** How many of these are shown, or will be in a moment. */
  let wanted = 0;
  /** All vehicles were asked for, in place of those that the page was built with. */
  let wantsAll = false;

  const button = (className, text) => {
    const node = document.createElement('button');
    node.type = 'button';
    node.className = className;
    node.textContent = text;
    return node;
  };
  const more = button('button more', words.more);
  more.hidden = true;
  list.after(more);

  const load = () => {
    loading ??= loadRows(index);
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };

  /** Loads what there is to filter by, too: words alone are searched without it. */
  const loadFacets = async () => {
    const all = await load();
    if (facets.length) return;
    const { names } = form.querySelector('.facets')?.dataset ?? {};
    const labels = names ? JSON.parse(names) : { video: words.video };
    facets = facetsOf(all, labels, { lang, words });
    choose(new URLSearchParams(location.search));
  };

  const orders = {
    oldest: (a, b) => (a.of('dates') < b.of('dates') ? -1 : 1),
    plate: (a, b) => compare(a.of('plates'), b.of('plates')),
    pictures: (a, b) => b.of('pictures') - a.of('pictures'),
    // Those without a price come last, whichever way.
    'price-up': (a, b) => (a.of('price') || Infinity) - (b.of('price') || Infinity),
    'price-down': (a, b) => b.of('price') - a.of('price'),
  };

  const show = (from, n) => {
    const next = cardsOf(found.slice(from, from + n));
    markNew(next, words.isNew);
    if (from === 0) list.replaceChildren(...next);
    else list.append(...next);
    more.hidden = list.children.length >= found.length;
  };

  const restore = () => {
    if (list.firstElementChild !== built[0]) list.replaceChildren(...built);
    more.hidden = true;
    result.textContent = '';
    chips.replaceChildren();
    for (const node of pages) node.hidden = false;
  };

  /** Takes the chosen values out of an address. */
  const choose = (query) => {
    for (const { name, values, chosen } of facets) {
      chosen.clear();
      for (const text of query.getAll(name)) {
        const named = [...values].find(([key, value]) => key === plain(text) || value === text);
        if (named) chosen.add(named[0]);
      }
    }
  };

  const writeAddress = (left) => {
    const query = new URLSearchParams(location.search);
    const put = (key, values) => {
      query.delete(key);
      for (const value of values) query.append(key, value);
    };
    put('q', [q.value.trim()].filter(Boolean));
    put('sort', [sort.value].filter(Boolean));
    put('all', wantsAll ? [1] : []);
    for (const { name, values, chosen, any } of facets) {
      const texts = [...chosen].map((key) => (any || name === 'video' ? key : values.get(key)));
      put(name, texts);
    }
    const text = query.toString();
    history.replaceState({ ...history.state, left }, '', location.pathname + (text && `?${text}`));
  };

  const showChips = (isAny) => {
    const all = facets.flatMap(({ values, chosen }) =>
      [...chosen].map((key) => {
        const chip = button('button chip', values.get(key));
        chip.ariaLabel = words.remove.replace('{value}', values.get(key));
        chip.onclick = () => {
          chosen.delete(key);
          update();
        };
        return chip;
      }),
    );
    if (isAny) {
      const clear = button('button clear', words.clear);
      clear.onclick = clearAll;
      all.push(clear);
    }
    const items = all.map((chip) => {
      const item = document.createElement('li');
      item.append(chip);
      return item;
    });
    chips.replaceChildren(...items);
  };

  const clearAll = () => {
    q.value = '';
    sort.value = '';
    wantsAll = false;
    for (const { chosen } of facets) chosen.clear();
    update();
    q.focus();
  };

  const isAsked = () =>
    wantsAll || q.value.trim() || sort.value || facets.some(({ chosen }) => chosen.size > 0);

  let turn = 0;
  /** @param left what was on the screen when the page was left. */
  async function update(left) {
    const mine = ++turn;
    const active = facets.reduce((sum, { chosen }) => sum + chosen.size, 0);
    const badge = form.querySelector('.filter b');
    if (badge) badge.textContent = active || '';
    writeAddress(left);
    const slow = setTimeout(() => {
      list.ariaBusy = 'true';
      result.textContent = words.loading;
    }, 150);
    let all;
    try {
      if (isAsked() || loading) all = await load();
    } catch {
      if (mine === turn) result.textContent = words.failed;
      return;
    } finally {
      clearTimeout(slow);
      if (mine === turn) list.ariaBusy = null;
    }
    if (mine !== turn) return;
    film?.setAttribute(
      'aria-pressed',
      facets.some(({ chosen }) => chosen.size > 0),
    );
    if (!all) return restore();
    const { known } = all;
    const { found: matching, shown } = search(all.rows, q.value, { known, language: words });
    const filtered = filterRows(matching, facets);
    sheet?.update(() => countRows(matching, facets), count(words.show, filtered.length));
    if (!isAsked()) return restore();
    found = filtered;
    if (orders[sort.value]) found.sort(orders[sort.value]);
    for (const node of pages) node.hidden = true;
    const sentence = found.length
      ? count(words.found, found.length)
      : `${words.nothing} ${words.newest}:`;
    const instead = words.instead.replace('{typed}', q.value.trim()).replace('{shown}', shown);
    result.textContent = shown ? `${instead} ${sentence}` : sentence;
    showChips(!found.length || facets.some(({ chosen }) => chosen.size > 0));
    if (!found.length) found = all.rows.slice(0, 4);
    wanted = left?.count || (wantsAll ? MORE : FIRST);
    show(0, left ? wanted : SCREEN);
    if (left) return scrollTo(0, left.y);
    more.hidden = true;
    requestAnimationFrame(() =>
      setTimeout(() => {
        if (mine === turn) show(SCREEN, wanted - SCREEN);
      }),
    );
  }

  const sheet = openSheet(form, {
    load: loadFacets,
    facetsOf: () => facets,
    update: () => update(),
    clearAll,
    showFound: () => {
      wantsAll = !isAsked() || wantsAll;
      update().then(() => list.scrollIntoView());
    },
  });
  const film = form.querySelector('.video');
  film?.addEventListener('click', async () => {
    await loadFacets().catch(() => {});
    const [{ chosen } = {}] = facets;
    if (chosen && !chosen.delete('1')) chosen.add('1');
    update();
  });
  more.addEventListener('click', () => {
    const first = list.children.length;
    wanted = first + MORE;
    show(first, MORE);
    list.children[first]?.querySelector('a').focus();
  });
  // A make is chosen here; its page is the way where the index cannot be had or says nothing of makes.
  const pick = async (link) => {
    try {
      await loadFacets();
      const key = plain(link.dataset.make);
      const { values, chosen } = facets.find(({ name }) => name === 'make');
      if (!values.has(key)) throw new Error(key);
      chosen.add(key);
      update();
    } catch {
      location.href = link.href;
    }
  };
  for (const link of document.querySelectorAll('.makes a')) {
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      pick(link);
    });
  }
  form.addEventListener('focusin', () => load().catch(() => {}), { once: true });
  for (const field of [q, sort]) field.addEventListener('input', () => update());

  // Back from a vehicle: as it was left. The browser looks for the place before the cards are there.
  for (const type of ['click', 'pagehide']) {
    addEventListener(type, () => {
      if (list.firstElementChild === built[0]) return;
      const left = { count: wanted, y: scrollY };
      history.replaceState({ ...history.state, left }, '');
    });
  }
  // The picture of the card that leads there, or that one came from, is the vehicle's: settings.css.
  const markCover = (address) => {
    for (const cover of list.querySelectorAll('img')) {
      cover.style.viewTransitionName = cover.closest('a').href === address ? 'vehicle' : '';
    }
  };
  addEventListener('pageswap', ({ activation }) => markCover(activation?.entry.url));
  addEventListener('pagereveal', () => markCover(globalThis.navigation?.activation?.from?.url));
  markNew(built, words.isNew);
  noteFailures(document, '');
  const query = new URLSearchParams(location.search);
  q.value = query.get('q') ?? '';
  sort.value = query.get('sort') ?? '';
  wantsAll = query.has('all');
  if (sort.selectedIndex < 0) sort.value = '';
  if (query.size > 0) {
    const { left } = history.state ?? {};
    // Which values are chosen is known once the index is there.
    loadFacets().then(
      () => update(left),
      () => update(left),
    );
  }
}

calmTransitions();
const [form, list] = ['.tools', '.cards'].map((one) => document.querySelector(one));
if (form && list) start(form, list);
