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

const plainName = (source: string, hashed: boolean): string => (hashed ? `${source}Hash` : source);

/** Makes a column's name from its words. */
type Join = (words: readonly string[]) => string;
const hubspotName: Join = (words) => words.join('_').toLowerCase();
const salesforceName: Join = (words) => `${words.join('_')}__c`;

/** The words of a column, after the word that all custom fields start with: no field of the CRM is overwritten. */
const wordsOf = (first: string, source: string, hashed: boolean): string[] => [
  ...new Set([first, ...plainName(source, hashed).split(/(?<=[a-z])(?=[A-Z])/)]),
];

/** Address and number go to standard fields, unless they are hashed. */
const contactName =
  (join: Join, email: string, mobile: string): Profile['columnName'] =>
  (source, hashed) =>
    (!hashed && { Email: email, Mobile: mobile }[source]) || join(wordsOf('Video', source, hashed));

/**
 * A CRM. Unknown values are omitted, so that they do not clear existing values. Exports of erasures have no time: it
 * would need a field in the CRM, whose own history of changes has the time.
 */
const crm = (join: Join, target: Omit<Target, 'omitUnknown'>): Profile => ({
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
  columnName: (source, hashed) => join(wordsOf('Batch', source, hashed)),
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
  hubspot: crm(hubspotName, HUBSPOT),
  salesforce: crm(salesforceName, SALESFORCE),
  dataverse: crm((words) => `new_${words.join('').toLowerCase()}`, { time: 'iso', bom: true }),
  contacts: contacts(PLAIN, plainName),
  'hubspot-contacts': contacts(HUBSPOT, contactName(hubspotName, 'email', 'phone')),
  'salesforce-leads': contacts(SALESFORCE, contactName(salesforceName, 'Email', 'Phone')),
} satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;
export const PROFILE_NAMES = Object.keys(PROFILES) as ProfileName[];
