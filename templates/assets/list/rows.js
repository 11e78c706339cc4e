import { plain, textsOf } from './match.js';

const VERSION = 6;
/** Columns whose texts stand in a shape's marks, in their order. */
const MARKED = [
  'covers',
  'dates',
  'slugs',
  'facts',
  'headings',
  'plates',
  'priceTexts',
  'colours',
  'counts',
];
/** Facts with standard values. */
export const VALUED = ['fuel', 'transmission', 'body', 'colour'];
const FIRST_MARK = 0xe000;

/** The rows of a dealer's list: a vehicle each, with what it is found, sorted and filtered by. */
function rowsOf(index) {
  index.slugs = index.slugs.map(
    (slug, at) => slug || index.plates[at].replace(/\s/g, '').toLowerCase(),
  );
  const { dealer, currency, unit, names } = index;
  /** Of each fact by its text, once for all rows with it: its key, and the texts by which it is found. */
  const values = VALUED.map((fact) => {
    const of = (text) => {
      const key = index.keys[fact][text];
      return [key ?? text, [text, ...(names[fact][key] ?? []).slice(0, 2)].join(' ')];
    };
    return new Map([...new Set(index[fact])].map((text) => [text, of(text)]));
  });
  return index.kinds.map((kind, at) => {
    const of = (name) => index[name][at];
    const known = values.map((value, fact) => value.get(of(VALUED[fact])));
    return {
      html: () =>
        index.shapes[kind].replace(/[\ue000-\ue008]/g, (mark) =>
          of(MARKED[mark.charCodeAt() - FIRST_MARK]).replace(
            /[&<>"']/g,
            (sign) => `&#${sign.charCodeAt()};`,
          ),
        ),
      plate: of('plates'),
      date: of('dates'),
      rank: of('ranks'),
      price: of('prices'),
      pictures: of('pictures'),
      videos: of('videos'),
      mileage: of('mileages'),
      year: of('year'),
      currency,
      unit,
      names,
      ...textsOf(of('plates'), [of('headings'), ...known.map(([, text]) => text)]),
      facets: {
        dealer,
        make: of('make'),
        fuel: known[0][0],
        transmission: known[1][0],
        body: known[2][0],
        colour: known[3][0],
      },
    };
  });
}

/** Standard values of rows as [fact, key], by all their spellings. */
function knownValues(lists) {
  const known = new Map();
  for (const { names } of lists) {
    for (const fact of VALUED) {
      for (const [key, spellings] of Object.entries(names[fact])) {
        for (const text of spellings) {
          const named = known.get(plain(text)) ?? [];
          if (!named.some(([one, other]) => one === fact && other === key)) named.push([fact, key]);
          known.set(plain(text), named);
        }
      }
    }
  }
  return known;
}

/** All rows of an index in the order of lists (by rank, newest first), and the values by which they are found. */
export async function loadRows(address) {
  const { version, lists } = await (await fetch(address)).json();
  // No other answer says a version.
  if (version !== VERSION) throw new Error(address);
  const rows = lists
    .flatMap(rowsOf)
    .sort((a, b) => a.rank - b.rank || (a.date < b.date) - (a.date > b.date));
  return { rows, known: knownValues(lists) };
}
