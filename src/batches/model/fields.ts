import type { BatchRecord } from '../../contract/batch.ts';

/**
 * Kind of a value. `json` fields are nullable, and the interface does not state their type. They are stored as
 * JSON text, so their values keep their types.
 */
export type Kind = 'integer' | 'number' | 'text' | 'phone' | 'time' | 'json';

/**
 * Personal data in a field. `contact` identifies the recipient, `staff` the sender. `free` is text or structure with
 * any content. `none` is only about the batch.
 */
export type Personal = 'none' | 'contact' | 'staff' | 'free';

export interface Field {
  /** Name of the interface, section 2.3. */
  readonly name: Exclude<keyof BatchRecord & string, 'BatchId'>;
  /** Column of the table `version`. */
  readonly column: string;
  readonly kind: Kind;
  readonly personal: Personal;
}

const field = (name: Field['name'], kind: Kind, personal: Personal = 'none'): Readonly<Field> => ({
  name,
  column:
    name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase() + (kind === 'json' ? '_json' : ''),
  kind,
  personal,
});

/** All fields of a batch record except BatchId, in the order of the interface (2.3). */
export const FIELDS: readonly Field[] = [
  field('MarketingContactId', 'integer', 'contact'),
  field('DateCreated', 'time'),
  field('SendingUserName', 'text', 'staff'),
  field('Title', 'text', 'free'),
  field('ProductType', 'text'),
  field('RecipientEmail', 'text', 'contact'),
  field('RecipientMobile', 'phone', 'contact'),
  field('Data', 'json', 'free'),
  field('DateSent', 'time'),
  field('LandingPageFirstWatched', 'time'),
  field('LandingPageLastWatched', 'time'),
  field('LandingPageWatchCount', 'integer'),
  field('CustomerActionState', 'json'),
  field('CustomerActionDate', 'json'),
  field('CustomerActionDescription', 'json', 'free'),
  field('CustomerActionPrice', 'number'),
  field('CustomerActionPriceSuffix', 'json'),
  field('CustomerActionPaymentOutcome', 'json'),
  field('CustomerRating', 'json'),
  field('CustomerRatingAdditional', 'json', 'free'),
  field('VideoPlayCount', 'integer'),
  field('ImageLinkClicks', 'integer'),
  field('SocialClicks', 'integer'),
  field('SearchClicks', 'integer'),
];

/** Counts that never decrease. A smaller count is reported as drift. */
export const COUNT_FIELDS = [
  'LandingPageWatchCount',
  'VideoPlayCount',
  'ImageLinkClicks',
  'SocialClicks',
  'SearchClicks',
] as const satisfies readonly Field['name'][];

const KNOWN: ReadonlySet<string> = new Set(['BatchId', ...FIELDS.map(({ name }) => name)]);

/** Whether the interface lists a field with this name. */
export const isContractField = (name: string): boolean => KNOWN.has(name);

/** The fields of a record that the interface does not list. */
export function extraFields(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !KNOWN.has(name)));
}
