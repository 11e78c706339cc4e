import { FIELDS, type Kind } from '../model/fields.ts';
import { BATCH_SOURCES, CONTACT_SOURCES } from './columns.ts';
import type { Target } from './format.ts';

/** Form of the rows for a target. Names of sources are the names in `SOURCES`. */
export interface Profile extends Target {
  /** Whether it has one row per recipient, instead of one per batch. */
  readonly contacts?: boolean;
  /** Columns by which the target matches rows. */
  readonly keys: readonly string[];
  readonly sources: readonly string[];
  /** Additional columns of an export of erasures, after keys and erased fields. */
  readonly erasureSources?: readonly string[];
  /** Kinds that differ from the kind of the source, because the target's column has a type. */
  readonly kinds?: Readonly<Record<string, Kind>>;
  columnName(source: string, hashed: boolean): string;
}

const wordsOf = (name: string): string[] => name.split(/(?<=[a-z])(?=[A-Z])/);

/**
 * A CRM. Unknown values are omitted, so that they do not clear existing values. Exports of erasures have no time: it
 * would need a field in the CRM, whose own history of changes has the time.
 *
 * @param join makes a column's name from its words. All names start with Batch, so that no field of the CRM is
 *   overwritten.
 */
const crm = (
  join: (words: readonly string[]) => string,
  target: Omit<Target, 'omitUnknown'>,
): Profile => ({
  ...target,
  keys: ['BatchKey'],
  sources: [
    'BatchKey',
    'BatchId',
    'Account',
    ...FIELDS.flatMap(({ name }) => (name === 'Data' ? [] : name)),
  ],
  omitUnknown: true,
  // CustomerActionDate has no documented type. A date column of a CRM accepts only times.
  kinds: { CustomerActionDate: 'time' },
  columnName: (source, hashed) => {
    const words = wordsOf(source);
    if (words[0] !== 'Batch') words.unshift('Batch');
    return join(hashed ? [...words, 'Hash'] : words);
  },
});

/**
 * One row per recipient. An export of erasures lists the keys of all erased batches. They include the key of an
 * erased recipient, because it is the key of the first batch.
 */
const contacts = (target: Target, columnName: Profile['columnName']): Profile => ({
  ...target,
  contacts: true,
  keys: ['ContactKey'],
  sources: CONTACT_SOURCES.map(({ name }) => name),
  columnName,
});

const PLAIN: Target = { time: 'iso' };
const HUBSPOT: Target = { time: 'epoch-milliseconds', omitUnknown: true, clears: { json: '' } };
const SALESFORCE: Target = {
  time: 'iso-milliseconds',
  omitUnknown: true,
  reserved: /^\s*#N\/A\s*$/i,
  clears: { csv: '#N/A' },
};

const plainName = (source: string, hashed: boolean): string => (hashed ? `${source}Hash` : source);

/**
 * The form that the import of each target expects.
 * - generic: the names of the interface, null if the service sends null.
 * - hubspot: internal property names. Date-and-time properties take UNIX milliseconds in files and in the API. An empty
 *   string clears a property, so unknown values are omitted.
 * - salesforce: API names of custom fields for the Bulk API. Times are `yyyy-MM-ddTHH:mm:ss.SSSZ`. No byte order mark.
 *   Empty cells are ignored, and `#N/A` would clear a field.
 * - dataverse: column names with the default publisher's prefix. Its import needs a byte order mark to recognise UTF-8.
 * - contacts, hubspot-contacts, salesforce-leads: one row per recipient. Address and number are in standard fields, the
 *   sums in custom fields.
 */
export const PROFILES = {
  generic: {
    ...PLAIN,
    contacts: false,
    keys: ['Account', 'BatchId'],
    sources: BATCH_SOURCES.map(({ name }) => name),
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
