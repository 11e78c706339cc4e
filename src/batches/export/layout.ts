import { timestampSchema, toUtc } from '../../contract/media.ts';
import { extraFields, FIELDS, type FieldKind, type Personal } from '../model/fields.ts';
import type { Cell, CellKind, Column, Layout } from './columns.ts';
import { columnValue, type HistoryRow } from './history-row.ts';
import { type PersonalOptions, treatmentOf } from './personal.ts';
import { type ExportField, PROFILES, type ProfileName } from './profiles.ts';

interface Reader {
  kind: CellKind;
  personal: Personal;
  read(row: HistoryRow): Cell;
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

/**
 * A part of a key that every CRM takes: Dataverse refuses `/ # < > * % & : \ ? +`. Account names
 * have spaces, dots, hyphens and underscores besides letters and digits.
 */
export const keyPart = (account: string): string => account.replace(/[^A-Za-z0-9_-]/g, '_');

const column = (name: string, kind: CellKind): Reader => ({
  kind,
  personal: 'none',
  read: columnValue(name),
});

const accountOf = columnValue('account');
const batchIdOf = columnValue('batch_id');
const rawOf = columnValue('raw');
const actionOf = columnValue('customer_action_state_json');

const OWN: Readonly<Partial<Record<ExportField, Reader>>> = {
  Account: column('account', 'text'),
  BatchId: column('batch_id', 'integer'),
  BatchKey: {
    kind: 'text',
    personal: 'none',
    read: (row) => `${keyPart(String(accountOf(row)))}-${batchIdOf(row)}`,
  },
  ExtraFields: {
    kind: 'json',
    personal: 'free',
    read: (row) => {
      const extra = extraFields(JSON.parse(String(rawOf(row))));
      return Object.keys(extra).length === 0 ? null : extra;
    },
  },
  Version: column('number', 'integer'),
  ChangeSeq: column('change_seq', 'integer'),
  FirstSeen: column('first_seen_at', 'time'),
  ChangeSeen: column('seen_at', 'time'),
  LastSeen: column('last_seen_at', 'time'),
};

const parsed = (read: (row: HistoryRow) => unknown) => (row: HistoryRow) => {
  const text = read(row);
  return typeof text === 'string' ? JSON.parse(text) : null;
};

const FIELD_READERS = new Map<string, Reader>(
  FIELDS.map(({ name, column: stored, kind, personal }) => {
    const value = columnValue(stored);
    const read = kind === 'unknown' ? parsed(value) : value;
    return [name, { kind: CELL_KIND[kind], personal, read }];
  }),
);

/** The interface's own spellings of "unknown", section 2.3. */
function isUnknown(source: ExportField, value: Cell, row: HistoryRow): boolean {
  if (value === null || value === '') return true;
  if (source === 'MarketingContactId') return value === 0;
  return source === 'CustomerActionPrice' && value === 0 && actionOf(row) === null;
}

const isMoment = (value: Cell): boolean => timestampSchema.safeParse(value).success;

export interface Rendering {
  layout: Layout;
  /** The cells of one row, in the order of the layout's columns. */
  cells(row: HistoryRow): Cell[];
  /** How many values a typed column of the target could not take, and were left out. */
  unreadable(): number;
}

/** How rows of the store become rows of an export: columns by profile, persons by `pii`. */
export function renderingOf(
  profileName: ProfileName,
  personal: PersonalOptions,
  { history }: { history: boolean },
): Rendering {
  const profile = PROFILES[profileName];
  let unreadable = 0;
  const keys: readonly ExportField[] = history ? [...profile.keys, 'Version'] : profile.keys;
  const sources =
    history && !profile.sources.includes('Version')
      ? [...profile.sources, 'Version' as const]
      : profile.sources;
  const parts = sources.flatMap((source) => {
    const reader = OWN[source] ?? FIELD_READERS.get(source);
    const treatment =
      reader &&
      treatmentOf(
        { field: source, personal: reader.personal, unknownType: reader.kind === 'json' },
        personal,
      );
    if (!reader || !treatment) return [];
    const kind = treatment.hashed ? 'text' : (profile.kinds[source] ?? reader.kind);
    const described: Column = {
      name: profile.columnName(source, treatment.hashed),
      kind,
      key: keys.includes(source),
    };
    const read = (row: HistoryRow): Cell => {
      const value = reader.read(row);
      if (profile.omitUnknown && isUnknown(source, value, row)) return null;
      const treated = treatment.apply(value);
      if (kind !== 'time' || reader.kind === 'time' || treated === null) return treated;
      if (isMoment(treated)) return toUtc(String(treated));
      unreadable++;
      return null;
    };
    return [{ described, read }];
  });
  return {
    layout: {
      columns: parts.map(({ described }) => described),
      time: profile.time,
      omitUnknown: profile.omitUnknown,
      bom: profile.bom,
      reserved: profile.reserved,
    },
    cells: (row) => parts.map(({ read }) => read(row)),
    unreadable: () => unreadable,
  };
}
