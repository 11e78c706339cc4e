import { FIELDS, type Kind } from '../model/fields.ts';
import { CONTACT_SOURCES } from './columns.ts';
import type { Target } from './format.ts';

/** A form of the rows. Sources are named as in `SOURCES`. */
export interface Profile extends Target {
  /** Whether it has one row per recipient, instead of one per batch. */
  readonly contacts: boolean;
  /** The columns that the target matches rows by. */
  readonly keys: readonly string[];
  readonly sources: readonly string[];
  /** Columns of an export of erasures, in addition to keys and erased fields. */
  readonly erasureSources?: readonly string[];
  /** Kinds that differ from the source's own, because the target's column has a type. */
  readonly kinds?: Readonly<Record<string, Kind>>;
  columnName(source: string, hashed: boolean): string;
}

const fields = FIELDS.map(({ name }) => name);

const wordsOf = (name: string): string[] => name.split(/(?<=[a-z])(?=[A-Z])/);

/**
 * A CRM: unknown values are left out, so that they do not clear values that the CRM knows. Its exports of
 * erasures have no time: a column of a CRM needs a field there, and its own history of changes has the time.
 *
 * @param join makes a column's name from its words. Names of columns that a CRM owns get the word
 *   Batch in front, so nothing of the CRM is overwritten.
 */
const crm = (
  join: (words: readonly string[]) => string,
  target: Omit<Target, 'omitUnknown'>,
): Profile => ({
  ...target,
  contacts: false,
  keys: ['BatchKey'],
  sources: ['BatchKey', 'BatchId', 'Account', ...fields.filter((name) => name !== 'Data')],
  omitUnknown: true,
  // CustomerActionDate has no documented type. A CRM's date column takes only moments.
  kinds: { CustomerActionDate: 'time' },
  columnName: (source, hashed) => {
    const words = wordsOf(source);
    if (words[0] !== 'Batch') words.unshift('Batch');
    return join(hashed ? [...words, 'Hash'] : words);
  },
});

/**
 * One row per recipient. An export of erasures lists the keys of all erased batches. The key of an erased
 * recipient is among them, because it is the key of the first batch.
 */
const contacts = (target: Target, columnName: Profile['columnName']): Profile => ({
  ...target,
  contacts: true,
  keys: ['ContactKey'],
  sources: CONTACT_SOURCES.map(({ name }) => name),
  columnName,
});

const PLAIN: Target = { time: 'iso', omitUnknown: false, bom: false };
const HUBSPOT: Target = {
  time: 'epoch-milliseconds',
  omitUnknown: true,
  bom: false,
  clears: { json: '' },
};
const SALESFORCE: Target = {
  time: 'iso-milliseconds',
  omitUnknown: true,
  bom: false,
  reserved: /^\s*#N\/A\s*$/i,
  clears: { csv: '#N/A' },
};

const plainName = (source: string, hashed: boolean): string => (hashed ? `${source}Hash` : source);

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
    ...PLAIN,
    contacts: false,
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
    columnName: plainName,
  },
  hubspot: crm((words) => words.join('_').toLowerCase(), HUBSPOT),
  salesforce: crm((words) => `${words.join('_')}__c`, SALESFORCE),
  dataverse: crm((words) => `new_${words.join('').toLowerCase()}`, { time: 'iso', bom: true }),
  contacts: contacts(PLAIN, plainName),
  'hubspot-contacts': contacts(HUBSPOT, (name, hashed) => {
    if (name === 'Email' || name === 'Mobile') {
      return (name === 'Email' ? 'email' : 'phone') + (hashed ? '_hash' : '');
    }
    return ['video', ...wordsOf(name)].join('_').toLowerCase();
  }),
  'salesforce-leads': contacts(SALESFORCE, (name, hashed) => {
    if (name !== 'Email' && name !== 'Mobile') return `Video_${wordsOf(name).join('_')}__c`;
    if (hashed) return `Video_${name}_Hash__c`;
    return name === 'Email' ? 'Email' : 'Phone';
  }),
} satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;
export const PROFILE_NAMES = Object.keys(PROFILES) as ProfileName[];
