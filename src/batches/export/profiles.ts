import type { CellKind, TimeForm } from './columns.ts';

export const PROFILE_NAMES = ['generic', 'hubspot', 'salesforce', 'dataverse'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** A field of the interface, or one of the store's own. */
export type ExportField =
  | 'Account'
  | 'BatchId'
  | 'BatchKey'
  | 'MarketingContactId'
  | 'DateCreated'
  | 'SendingUserName'
  | 'Title'
  | 'ProductType'
  | 'RecipientEmail'
  | 'RecipientMobile'
  | 'Data'
  | 'DateSent'
  | 'LandingPageFirstWatched'
  | 'LandingPageLastWatched'
  | 'LandingPageWatchCount'
  | 'CustomerActionState'
  | 'CustomerActionDate'
  | 'CustomerActionDescription'
  | 'CustomerActionPrice'
  | 'CustomerActionPriceSuffix'
  | 'CustomerActionPaymentOutcome'
  | 'CustomerRating'
  | 'CustomerRatingAdditional'
  | 'VideoPlayCount'
  | 'ImageLinkClicks'
  | 'SocialClicks'
  | 'SearchClicks'
  | 'ExtraFields'
  | 'Version'
  | 'ChangeSeq'
  | 'FirstSeen'
  | 'ChangeSeen'
  | 'LastSeen';

export interface Profile {
  /** The column that the target matches rows by. */
  readonly keys: readonly ExportField[];
  readonly sources: readonly ExportField[];
  readonly time: TimeForm;
  /** Unknown values are left out (or left empty), so that what the CRM knows is not cleared. */
  readonly omitUnknown: boolean;
  readonly bom: boolean;
  readonly reserved?: RegExp;
  /** Kinds that differ from the field's own, because the target's column has a type. */
  readonly kinds: Partial<Record<ExportField, CellKind>>;
  columnName(source: ExportField, hashed: boolean): string;
}

const FIELDS_OF_A_BATCH: readonly ExportField[] = [
  'MarketingContactId',
  'DateCreated',
  'SendingUserName',
  'Title',
  'ProductType',
  'RecipientEmail',
  'RecipientMobile',
  'Data',
  'DateSent',
  'LandingPageFirstWatched',
  'LandingPageLastWatched',
  'LandingPageWatchCount',
  'CustomerActionState',
  'CustomerActionDate',
  'CustomerActionDescription',
  'CustomerActionPrice',
  'CustomerActionPriceSuffix',
  'CustomerActionPaymentOutcome',
  'CustomerRating',
  'CustomerRatingAdditional',
  'VideoPlayCount',
  'ImageLinkClicks',
  'SocialClicks',
  'SearchClicks',
];

const CRM_SOURCES: readonly ExportField[] = [
  'BatchKey',
  'BatchId',
  'Account',
  ...FIELDS_OF_A_BATCH.filter((source) => source !== 'Data'),
];

/** CustomerActionDate has no documented type; a CRM's date column takes moments alone. */
const CRM_KINDS = { CustomerActionDate: 'time' } as const;

const words = (source: ExportField, hashed: boolean): string[] => [
  ...source.split(/(?<=[a-z])(?=[A-Z])/),
  ...(hashed ? ['Hash'] : []),
];

/** Names of columns that a CRM owns come last in our own namespace: nothing of it is overwritten. */
const owned = (list: readonly string[]): readonly string[] =>
  list[0] === 'Batch' ? list : ['Batch', ...list];

/**
 * What each target's import expects.
 * - generic: the interface's own names, null where the service says null.
 * - hubspot: internal property names; date-and-time properties take UNIX milliseconds in files and
 *   over the API; an empty string clears a property, so unknown ones are left out.
 * - salesforce: API names of custom fields for the Bulk API; `yyyy-MM-ddTHH:mm:ss.SSSZ`; no byte
 *   order mark; empty cells are ignored and `#N/A` would clear a field.
 * - dataverse: column names with the default publisher's prefix; the alternate key holds none of
 *   the characters `/ # < > * % & : \ ? +`; a byte order mark, by which its import knows UTF-8.
 */
export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  generic: {
    keys: ['Account', 'BatchId'],
    sources: [
      'Account',
      'BatchId',
      ...FIELDS_OF_A_BATCH,
      'ExtraFields',
      'Version',
      'ChangeSeq',
      'FirstSeen',
      'ChangeSeen',
      'LastSeen',
    ],
    time: 'iso',
    omitUnknown: false,
    bom: false,
    kinds: {},
    columnName: (source, hashed) => (hashed ? `${source}Hash` : source),
  },
  hubspot: {
    keys: ['BatchKey'],
    sources: CRM_SOURCES,
    time: 'epoch-milliseconds',
    omitUnknown: true,
    bom: false,
    kinds: CRM_KINDS,
    columnName: (source, hashed) => owned(words(source, hashed)).join('_').toLowerCase(),
  },
  salesforce: {
    keys: ['BatchKey'],
    sources: CRM_SOURCES,
    time: 'iso-milliseconds',
    omitUnknown: true,
    bom: false,
    reserved: /^\s*#N\/A\s*$/i,
    kinds: CRM_KINDS,
    columnName: (source, hashed) => `${owned(words(source, hashed)).join('_')}__c`,
  },
  dataverse: {
    keys: ['BatchKey'],
    sources: CRM_SOURCES,
    time: 'iso',
    omitUnknown: true,
    bom: true,
    kinds: CRM_KINDS,
    columnName: (source, hashed) => `new_${owned(words(source, hashed)).join('').toLowerCase()}`,
  },
};
