/*
 * Search, order and filters of a list. The index is loaded when a visitor first uses them. Until then, and
 * without scripts, the list shows its built pages.
 */
import { button, cardsOf, markNew } from './list/cards.js';
import { countRows, facetsOf, filterRows, unchoose } from './list/facets.js';
import { plain, search } from './list/match.js';
import { ordersOf } from './list/orders.js';
import { loadRows } from './list/rows.js';
import { openSheet } from './list/sheet.js';
import { calmTransitions } from './pages/transition.js';
import { noteFailures } from './pictures/failed.js';

/** Number of result cards: for the first screen of a phone, after it is drawn, and with each click on "more". */
const SCREEN = 6;
const FIRST = 24;
const MORE = 48;

function start(form, list) {
  const { index, lang } = form.dataset;
  const words = JSON.parse(form.dataset.words);
  const built = [...list.children];
  const pages = document.querySelectorAll('.pages, .browse');
  const result = form.querySelector('.result');
  const chips = form.querySelector('.chips');
  const [q, sort] = ['q', 'sort'].map((name) => form.querySelector(`[name=${name}]`));
  const plurals = new Intl.PluralRules(lang);
  const numbers = new Intl.NumberFormat(lang);
  const count = (forms, n) =>
    (forms[plurals.select(n)] ?? forms.other).replace('{n}', numbers.format(n));
  const orders = ordersOf(new Intl.Collator(lang, { numeric: true }).compare);
  let loading;
  let facets = [];
  let results = [];
  /** Number of results that are or will be shown. */
  let shownCount = 0;
  /** Whether the visitor requested all vehicles, instead of the built list. */
  let wantsAll = false;
  /** The query of the URL that the list shows. */
  let written;

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

  /** Loads the index and the filters, which a text search does not need. */
  const loadFacets = async () => {
    const all = await load();
    if (facets.length) return;
    const { names } = form.querySelector('.facets')?.dataset ?? {};
    const labels = names ? JSON.parse(names) : { video: words.video };
    facets = facetsOf(all, labels, { lang, words });
    read();
  };

  const show = (from, n) => {
    const next = cardsOf(results.slice(from, from + n));
    markNew(next, words.isNew);
    if (from === 0) list.replaceChildren(...next);
    else list.append(...next);
    more.hidden = list.children.length >= results.length;
  };

  const restore = () => {
    if (list.firstElementChild !== built[0]) list.replaceChildren(...built);
    more.hidden = true;
    result.textContent = '';
    chips.replaceChildren();
    for (const node of pages) node.hidden = false;
  };

  /** Reads all fields from the URL, and the chosen values: keys, or texts of the page's language. */
  const read = () => {
    const query = new URLSearchParams(location.search);
    q.value = query.get('q') ?? '';
    sort.value = query.get('sort') ?? '';
    if (sort.selectedIndex < 0) sort.value = '';
    wantsAll = query.has('all');
    for (const { name, values, chosen, textOf } of facets) {
      chosen.clear();
      for (const text of query.getAll(name)) {
        const known = [...values].find(([, value]) => value === text);
        const key = known?.[0] ?? plain(text);
        // A value that no vehicle has any more finds none.
        if (!values.has(key)) values.set(key, textOf?.(text) ?? text);
        chosen.add(key);
      }
    }
  };

  const writeAddress = (view) => {
    const query = new URLSearchParams(location.search);
    const put = (key, values) => {
      query.delete(key);
      for (const value of values) if (value) query.append(key, value);
    };
    put('q', [q.value.trim()]);
    put('sort', [sort.value]);
    put('all', [wantsAll && 1]);
    for (const { name, chosen } of facets) put(name, chosen);
    const path = location.pathname + (query.size ? `?${query}` : '');
    history.replaceState({ ...history.state, left: view }, '', path);
    for (const link of document.querySelectorAll('.languages a')) link.search = query;
    written = location.search;
  };

  const showChips = (isAny) => {
    const buttons = facets.flatMap((facet) =>
      [...facet.chosen].map((key) => {
        const text = facet.values.get(key);
        const chip = button('button chip', text);
        chip.ariaLabel = words.remove.replace('{value}', text);
        chip.onclick = () => {
          unchoose(facet, key, facets);
          updateChips();
        };
        return chip;
      }),
    );
    if (isAny) {
      const clear = button('button clear', words.clear);
      clear.onclick = clearAll;
      buttons.push(clear);
    }
    const items = buttons.map((chip) => {
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
    change();
    q.focus();
  };

  const chosenCount = () => facets.reduce((sum, { chosen }) => sum + chosen.size, 0);
  const isAsked = () => q.value.trim() || sort.value || wantsAll || chosenCount();

  /** Also in the dialog, which covers the result. */
  const fail = () => {
    for (const place of form.querySelectorAll('.result, .shown')) place.textContent = words.failed;
  };

  let turn = 0;
  /** @param view count and scroll position before the visitor left the page. */
  async function update(view) {
    const thisTurn = ++turn;
    const active = chosenCount();
    const badge = form.querySelector('.filter b');
    if (badge) badge.textContent = active || '';
    writeAddress(view);
    const slow = setTimeout(() => {
      list.ariaBusy = 'true';
      result.textContent = words.loading;
    }, 150);
    let all;
    try {
      if (isAsked() || loading) all = await load();
    } catch {
      return fail();
    } finally {
      clearTimeout(slow);
      if (thisTurn === turn) list.ariaBusy = null;
    }
    if (thisTurn !== turn) return;
    film?.setAttribute('aria-pressed', active > 0);
    if (!all) return restore();
    const { known } = all;
    const { found: matching, shown } = search(all.rows, q.value, { known, language: words });
    const filtered = filterRows(matching, facets);
    sheet?.update(() => countRows(matching, facets), count(words.show, filtered.length));
    if (!isAsked()) return restore();
    results = filtered;
    // In each order, sold vehicles come last, as in the list.
    const order = orders[sort.value];
    if (order) results.sort((a, b) => a.of('sold') - b.of('sold') || order(a, b));
    for (const node of pages) node.hidden = true;
    const sentence = results.length ? count(words.found, results.length) : words.nothing;
    const instead = words.instead.replace('{typed}', q.value.trim()).replace('{shown}', shown);
    result.textContent = shown ? `${instead} ${sentence}` : sentence;
    showChips(!results.length || active);
    if (!results.length) results = all.rows.slice(0, 4);
    shownCount = view?.count || (wantsAll ? MORE : FIRST);
    show(0, view ? shownCount : SCREEN);
    if (view) return scrollTo(0, view.y);
    // Also on phones, which have sticky fields.
    if (form.getBoundingClientRect().y <= 0) list.scrollIntoView();
    more.hidden = true;
    requestAnimationFrame(() =>
      setTimeout(() => {
        if (thisTurn === turn) show(SCREEN, shownCount - SCREEN);
      }),
    );
  }

  /** Filters in a new entry of the history, so that the back button undoes this. */
  const change = () => {
    history.pushState(history.state, '');
    return update();
  };

  /** The focused chip or make disappears, so the first chip gets the focus, or the button for filters. */
  const updateChips = () =>
    change().then(() => (chips.querySelector('button') ?? form.querySelector('.button')).focus());

  const sheet = openSheet(form, {
    load: loadFacets,
    facetsOf: () => facets,
    fail,
    update,
    change,
    clearAll,
    showFound: () => {
      wantsAll ||= !isAsked();
      update().then(() => list.scrollIntoView());
    },
  });
  const film = form.querySelector('.video');
  film?.addEventListener('click', () => {
    loadFacets().then(() => {
      const [{ chosen }] = facets;
      if (!chosen.delete('1')) chosen.add('1');
      change();
    }, fail);
  });
  more.addEventListener('click', () => {
    const first = list.children.length;
    shownCount = first + MORE;
    show(first, MORE);
    list.children[first]?.querySelector('a').focus();
  });
  // Filters by a make. If the index fails or has no makes, opens the page of the make.
  for (const link of document.querySelectorAll('.makes a')) {
    link.addEventListener('click', async (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      try {
        await loadFacets();
        const key = plain(link.dataset.make);
        facets.find(({ name, values }) => name === 'make' && values.has(key)).chosen.add(key);
        updateChips();
      } catch {
        location.href = link.href;
      }
    });
  }
  form.addEventListener('focusin', load, { once: true });
  for (const field of [q, sort]) field.addEventListener('input', () => update());

  // Stores the view, for returning from a vehicle. The browser's scroll restoration runs before the cards exist.
  for (const type of ['click', 'pagehide']) {
    addEventListener(type, () => {
      if (list.firstElementChild === built[0]) return;
      const left = { count: shownCount, y: scrollY };
      history.replaceState({ ...history.state, left }, '');
    });
  }
  // Connects the picture of a card with the picture on its vehicle page, see settings.css.
  const markCover = (address) => {
    for (const cover of list.querySelectorAll('img')) {
      cover.style.viewTransitionName = cover.closest('a').href === address ? 'vehicle' : '';
    }
  };
  addEventListener('pageswap', ({ activation }) => markCover(activation?.entry.url));
  addEventListener('pagereveal', () => markCover(globalThis.navigation?.activation?.from?.url));
  markNew(built, words.isNew);
  noteFailures(document, '');
  const showAddress = () => {
    // A link to a part of the page changes nothing.
    if (written === location.search) return;
    read();
    // The chosen values need the index.
    Promise.resolve(location.search && loadFacets()).then(() => update(history.state?.left), fail);
  };
  addEventListener('popstate', showAddress);
  showAddress();
}

calmTransitions();
const [form, list] = ['.tools', '.cards'].map((one) => document.querySelector(one));
if (form && list) start(form, list);
