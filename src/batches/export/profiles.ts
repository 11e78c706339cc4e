import { FIELDS } from '../model/fields.ts';
import type { SourceName } from './columns.ts';
import type { CellKind, Target } from './format.ts';

export interface Profile extends Target {
  /** The columns that the target matches rows by. */
  readonly keys: readonly SourceName[];
  readonly sources: readonly SourceName[];
  /** Columns of an export of erasures, in addition to keys and erased fields. */
  readonly erasureSources: readonly SourceName[];
  /** Kinds that differ from the source's own, because the target's column has a type. */
  readonly kinds: Partial<Record<SourceName, CellKind>>;
  columnName(source: SourceName, hashed: boolean): string;
  /** Of a profile with one row per recipient: the name of a column. */
  readonly contactColumn?: (name: ContactColumn, hashed: boolean) => string;
}

/** The columns of a recipient. The key is the key of the recipient's first batch. */
export const CONTACT_COLUMNS = [
  'ContactKey',
  'Email',
  'Mobile',
  'Batches',
  'LastSent',
  'FirstWatched',
  'LastWatched',
  'Watches',
  'Plays',
  'Clicks',
  'Action',
  'ActionDate',
  'Rating',
] as const;
export type ContactColumn = (typeof CONTACT_COLUMNS)[number];

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
  // CustomerActionDate has no documented type. A CRM's date column takes only moments.
  kinds: { CustomerActionDate: 'time' },
  columnName: (source, hashed) => {
    const words = source.split(/(?<=[a-z])(?=[A-Z])/);
    if (words[0] !== 'Batch') words.unshift('Batch');
    return join(hashed ? [...words, 'Hash'] : words);
  },
});

const CONTACT_SOURCES = {
  BatchKey: 'ContactKey',
  RecipientEmail: 'Email',
  RecipientMobile: 'Mobile',
} as const;

/**
 * One row per recipient. An export of erasures lists the keys of all erased batches. The key of an erased
 * recipient is among them, because it is the key of the first batch.
 */
const contacts = (
  target: Target,
  contactColumn: (name: ContactColumn, hashed: boolean) => string,
): Profile => ({
  ...target,
  keys: ['BatchKey'],
  sources: ['BatchKey', 'RecipientEmail', 'RecipientMobile'],
  erasureSources: [],
  kinds: {},
  columnName: (source, hashed) =>
    contactColumn(CONTACT_SOURCES[source as keyof typeof CONTACT_SOURCES], hashed),
  contactColumn,
});

const wordsOf = (name: string): string[] => name.split(/(?<=[a-z])(?=[A-Z])/);

/**
 * The form that each target's import expects.
 * - generic: the names of the interface, null if the service sends null.
 * - hubspot: internal property names; date-and-time properties take UNIX milliseconds in files and
 *   over the API. An empty string clears a property, so unknown ones are left out.
 * - salesforce: API names of custom fields for the Bulk API; `yyyy-MM-ddTHH:mm:ss.SSSZ`. No byte
 *   order mark. Empty cells are ignored and `#N/A` would clear a field.
 * - dataverse: column names with the default publisher's prefix. A byte order mark, by which its
 *   import recognises UTF-8.
 * - contacts, hubspot-contacts, salesforce-leads: one row per recipient, with standard fields for address and
 *   number and custom fields for the sums.
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
  contacts: contacts({ time: 'iso', omitUnknown: false, bom: false }, (name, hashed) =>
    hashed ? `${name}Hash` : name,
  ),
  'hubspot-contacts': contacts(
    { time: 'epoch-milliseconds', omitUnknown: true, bom: false, clears: { json: '' } },
    (name, hashed) => {
      if (name === 'Email' || name === 'Mobile') {
        return (name === 'Email' ? 'email' : 'phone') + (hashed ? '_hash' : '');
      }
      return ['video', ...wordsOf(name)].join('_').toLowerCase();
    },
  ),
  'salesforce-leads': contacts(
    {
      time: 'iso-milliseconds',
      omitUnknown: true,
      bom: false,
      reserved: /^\s*#N\/A\s*$/i,
      clears: { csv: '#N/A' },
    },
    (name, hashed) => {
      if (name !== 'Email' && name !== 'Mobile') return `Video_${wordsOf(name).join('_')}__c`;
      if (hashed) return `Video_${name}_Hash__c`;
      return name === 'Email' ? 'Email' : 'Phone';
    },
  ),
} satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;
export const PROFILE_NAMES = Object.keys(PROFILES) as ProfileName[];
