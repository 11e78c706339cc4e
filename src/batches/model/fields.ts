import type { batchRecordSchema } from '../../contract/batch.ts';

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

type FieldName = Exclude<keyof typeof batchRecordSchema.shape, 'BatchId'>;

export interface Field {
  /** Name of the interface, section 2.3. */
  readonly name: FieldName;
  /** Column of the table `version`. */
  readonly column: string;
  readonly kind: Kind;
  readonly personal: Personal;
}

const KINDS: Readonly<Record<FieldName, readonly [Kind, Personal?]>> = {
  MarketingContactId: ['integer', 'contact'],
  DateCreated: ['time'],
  SendingUserName: ['text', 'staff'],
  Title: ['text', 'free'],
  ProductType: ['text'],
  RecipientEmail: ['text', 'contact'],
  RecipientMobile: ['phone', 'contact'],
  Data: ['json', 'free'],
  DateSent: ['time'],
  LandingPageFirstWatched: ['time'],
  LandingPageLastWatched: ['time'],
  LandingPageWatchCount: ['integer'],
  CustomerActionState: ['json'],
  CustomerActionDate: ['json'],
  CustomerActionDescription: ['json', 'free'],
  CustomerActionPrice: ['number'],
  CustomerActionPriceSuffix: ['json'],
  CustomerActionPaymentOutcome: ['json'],
  CustomerRating: ['json'],
  CustomerRatingAdditional: ['json', 'free'],
  VideoPlayCount: ['integer'],
  ImageLinkClicks: ['integer'],
  SocialClicks: ['integer'],
  SearchClicks: ['integer'],
};

/** All fields of a batch record except BatchId, in the order of the interface (2.3). */
export const FIELDS: readonly Field[] = Object.entries(KINDS).map(
  ([name, [kind, personal = 'none']]) => ({
    name: name as FieldName,
    column:
      name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase() + (kind === 'json' ? '_json' : ''),
    kind,
    personal,
  }),
);

/** Counts that never decrease. A smaller count is reported as drift. */
export const COUNT_FIELDS = FIELDS.filter(
  ({ kind, personal }) => kind === 'integer' && personal === 'none',
).map(({ name }) => name);

const KNOWN: ReadonlySet<string> = new Set(['BatchId', ...FIELDS.map(({ name }) => name)]);

/** Whether the interface lists a field with this name. */
export const isContractField = (name: string): boolean => KNOWN.has(name);

/** The fields of a record that the interface does not list. */
export const extraFields = (record: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !KNOWN.has(name)));
