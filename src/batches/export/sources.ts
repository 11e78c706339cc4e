import { extraFields, FIELDS, type Field, type FieldKind, type Personal } from '../model/fields.ts';
import type { Cell, CellKind } from './format.ts';

/** A field of the interface, or one that the store adds. */
export type SourceName =
  | Field['name']
  | 'Account'
  | 'BatchId'
  | 'BatchKey'
  | 'ExtraFields'
  | 'Version'
  | 'ChangeSeq'
  | 'FirstSeen'
  | 'ChangeSeen'
  | 'LastSeen';

/** Where the values of a column come from. */
export interface Source {
  readonly name: SourceName;
  /** Expression over the tables `account` a, `batch` b and `version` v. */
  readonly sql: string;
  /** Expression that is null for the interface's own spelling of "unknown" (section 2.3). */
  readonly known?: string;
  readonly kind: CellKind;
  readonly personal: Personal;
  /** Makes the cell from the stored value. */
  readonly read?: (value: unknown) => Cell;
}

const CELL_KIND: Readonly<Record<FieldKind, CellKind>> = {
  integer: 'integer',
  number: 'number',
  text: 'text',
  email: 'text',
  phone: 'phone',
  timestamp: 'time',
  unknown: 'json',
};

const KNOWN: Readonly<Partial<Record<SourceName, string>>> = {
  MarketingContactId: 'nullif(v.marketing_contact_id, 0)',
  CustomerActionPrice:
    'iif(v.customer_action_state_json IS NULL, nullif(v.customer_action_price, 0), v.customer_action_price)',
};

const ofField = ({ name, column, kind, personal }: Field): Source => ({
  name,
  sql: `v.${column}`,
  known: KNOWN[name],
  kind: CELL_KIND[kind],
  personal,
  ...(kind === 'unknown' && { read: (json) => (json === null ? null : JSON.parse(String(json))) }),
});

const ofStore = (
  name: SourceName,
  kind: CellKind,
  sql: string,
  more: Partial<Source> = {},
): Source => ({ name, kind, sql, personal: 'none', ...more });

/**
 * A key that every CRM takes: Dataverse refuses `/ # < > * % & : \ ? +`. Account names have spaces,
 * dots, hyphens and underscores besides letters and digits.
 */
export const crmKey = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_');

/** Every source of columns. */
export const SOURCES: readonly Source[] = [
  ofStore('BatchKey', 'text', "a.name || '-' || b.batch_id", {
    read: (text) => crmKey(String(text)),
  }),
  ofStore('Account', 'text', 'a.name'),
  ofStore('BatchId', 'integer', 'b.batch_id'),
  ...FIELDS.map(ofField),
  ofStore('ExtraFields', 'json', 'v.raw', {
    personal: 'free',
    read: (raw) => {
      const extra = extraFields(JSON.parse(String(raw)));
      return Object.keys(extra).length === 0 ? null : extra;
    },
  }),
  ofStore('Version', 'integer', 'v.number'),
  ofStore('ChangeSeq', 'integer', 'v.change_seq'),
  ofStore('FirstSeen', 'time', 'b.first_seen_at'),
  ofStore('ChangeSeen', 'time', 'v.seen_at'),
  ofStore('LastSeen', 'time', 'b.last_seen_at'),
];
