import { textsOf } from './match.js';

const VERSION = 5;
/** Columns whose texts stand in a shape's marks, in their order. */
const MARKED = ['covers', 'dates', 'slugs', 'facts', 'headings', 'plates', 'priceTexts'];
const FIRST_MARK = 0xe000;

/** The rows of an index: a vehicle each, with what it is found, sorted and filtered by. */
async function rowsOf(address) {
  const index = await (await fetch(address)).json();
  // No other answer says a version.
  if (index.version !== VERSION) throw new Error(address);
  index.slugs = index.slugs.map(
    (slug, at) => slug || index.plates[at].replace(/\s/g, '').toLowerCase(),
  );
  return index.kinds.map((kind, at) => {
    const of = (name) => index[name][at];
    const { dealer, currency } = index;
    return {
      html: () =>
        index.shapes[kind].replace(/[\ue000-\ue006]/g, (mark) =>
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
      currency,
      ...textsOf(of('plates'), ['headings', 'fuel', 'gearbox', 'colour', 'body'].map(of)),
      facets: {
        dealer,
        make: of('make'),
        year: String(of('year')),
        fuel: of('fuel'),
        gearbox: of('gearbox'),
        body: of('body'),
      },
    };
  });
}

/** All rows of these indices in the order of lists: by rank, newest first. */
export async function loadRows(addresses) {
  const all = await Promise.all(addresses.map(rowsOf));
  return all.flat().sort((a, b) => a.rank - b.rank || (a.date < b.date) - (a.date > b.date));
}
