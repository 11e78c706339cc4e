import { FIELDS } from '../model/fields.ts';
import type { SourceName } from './columns.ts';
import type { CellKind, Target } from './format.ts';

export interface Profile extends Target {
  /** The columns that the target matches rows by. */
  readonly keys: readonly SourceName[];
  readonly sources: readonly SourceName[];
  /** Columns of an export of erasures, besides the keys and the fields that are erased. */
  readonly erasureSources: readonly SourceName[];
  /** Kinds that differ from the source's own, because the target's column has a type. */
  readonly kinds: Partial<Record<SourceName, CellKind>>;
  columnName(source: SourceName, hashed: boolean): string;
}

const fields = FIELDS.map(({ name }) => name);

/**
 * A CRM: unknown values are left out, so that they do not clear values that the CRM knows.
 *
 * @param join makes a column's name from its words. Names of columns that a CRM owns get the word
 *   Batch in front, so nothing of the CRM is overwritten.
 */
const crm = (
  join: (words: readonly string[]) => string,
  target: Omit<Target, 'omitUnknown'>,
): Profile => ({
  ...target,
  keys: ['BatchKey'],
  sources: ['BatchKey', 'BatchId', 'Account', ...fields.filter((name) => name !== 'Data')],
  // A column of a CRM needs a field there; its own history of changes has the time.
  erasureSources: [],
  omitUnknown: true,
  // CustomerActionDate has no documented type; a CRM's date column takes only moments.
  kinds: { CustomerActionDate: 'time' },
  columnName: (source, hashed) => {
    const words = source.split(/(?<=[a-z])(?=[A-Z])/);
    if (words[0] !== 'Batch') words.unshift('Batch');
    return join(hashed ? [...words, 'Hash'] : words);
  },
});

/**
 * The form that each target's import expects.
 * - generic: the interface's own names, null where the service says null.
 * - hubspot: internal property names; date-and-time properties take UNIX milliseconds in files and
 *   over the API; an empty string clears a property, so unknown ones are left out.
 * - salesforce: API names of custom fields for the Bulk API; `yyyy-MM-ddTHH:mm:ss.SSSZ`; no byte
 *   order mark; empty cells are ignored and `#N/A` would clear a field.
 * - dataverse: column names with the default publisher's prefix; a byte order mark, by which its
 *   import recognises UTF-8.
 */
export const PROFILES = {
  generic: {
    keys: ['Account', 'BatchId'],
    sources: [
      'Account',
      'BatchId',
      ...fields,
      'ExtraFields',
      'Version',
      'ChangeSeq',
      'FirstSeen',
      'ChangeSeen',
      'LastSeen',
    ],
    erasureSources: ['_erased'],
    time: 'iso',
    omitUnknown: false,
    bom: false,
    kinds: {},
    columnName: (source, hashed) => (hashed ? `${source}Hash` : source),
  },
  hubspot: crm((words) => words.join('_').toLowerCase(), {
    time: 'epoch-milliseconds',
    bom: false,
    clears: { json: '' },
  }),
  salesforce: crm((words) => `${words.join('_')}__c`, {
    time: 'iso-milliseconds',
    bom: false,
    reserved: /^\s*#N\/A\s*$/i,
    clears: { csv: '#N/A' },
  }),
  dataverse: crm((words) => `new_${words.join('').toLowerCase()}`, { time: 'iso', bom: true }),
} satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;
export const PROFILE_NAMES = Object.keys(PROFILES) as ProfileName[];
