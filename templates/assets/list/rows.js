import { alike, bothWays, plain } from './match.js';

const VERSION = 9;
/** Facts with standard values. */
const VALUED = ['fuel', 'transmission', 'body', 'colour'];
const FIRST_MARK = 0xe000;

/** The value of a vehicle. Repeated values are stored once, in `values`. */
const valueAt = (column, at) =>
  Array.isArray(column) ? column[at] : column.values[column.at?.[at] ?? 0];

/** A column with converted values. Each value is converted once. */
const mapped = (column, make) =>
  Array.isArray(column) ? column.map(make) : { at: column.at, values: column.values.map(make) };

/** A vehicle of a list. Its values stay in the columns, so that a phone creates 5,000 rows quickly. */
class Row {
  constructor(index, at) {
    this.index = index;
    this.at = at;
  }

  of(name) {
    return valueAt(this.index.columns[name], this.at);
  }

  /** The texts for searching, in readable form. */
  get names() {
    return this.index.found.map((column) => valueAt(column, this.at));
  }

  /** Whether one of these texts contains a word in comparable form. Joining them would create 5,000 texts on the first letter. */
  includes(word) {
    return this.index.compared.some((column) => valueAt(column, this.at).includes(word));
  }

  get plateText() {
    this.alike ??= alike(this.of('plates'));
    return this.alike;
  }

  get html() {
    return this.index.shapes[this.of('kinds')].replace(/[\ue000-\ue00a]/g, (mark) => {
      const name = this.index.texts[mark.charCodeAt() - FIRST_MARK];
      // Only the slug can be missing. Most slugs are the plate without spaces.
      const text = this.of(name) || this.of('plates').replace(/\s/g, '').toLowerCase();
      return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt()};`);
    });
  }
}

/** Standard values as [fact, key], by spelling. */
function knownValues(names) {
  const values = new Map();
  for (const fact of VALUED) {
    for (const [key, spellings] of Object.entries(names[fact])) {
      for (const text of new Set(spellings.map(plain))) {
        values.set(text, [...(values.get(text) ?? []), [fact, key]]);
      }
    }
  }
  return values;
}

/** The rows of an index in list order, and the names and spellings of standard values. */
export async function loadRows(address) {
  const index = await (await fetch(address)).json();
  // Other responses do not have this version.
  if (index.version !== VERSION) throw new Error(address);
  const { columns, names, vehicles } = index;
  // The first column is the shape. The next ones replace its placeholders, in order.
  [, ...index.texts] = Object.keys(columns);
  const withNames = VALUED.map((fact) =>
    mapped(columns[fact], ([text, key]) =>
      [text, ...(names[fact][key] ?? []).slice(0, 2)].join(' '),
    ),
  );
  index.found = [columns.headings, ...withNames];
  index.compared = index.found.map((column) => mapped(column, bothWays));
  for (const fact of VALUED) columns[fact] = mapped(columns[fact], ([text, key]) => key || text);
  columns.stock = mapped(columns.stock, alike);
  columns.video = mapped(columns.videos, (count) => (count ? '1' : ''));
  const rows = Array.from({ length: vehicles }, (_, at) => new Row(index, at));
  return { rows, names, known: knownValues(names) };
}
