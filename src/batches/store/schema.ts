import { FIELDS, type Kind } from '../model/fields.ts';

const SQL_TYPE: Record<Kind, string> = {
  integer: 'INTEGER NOT NULL',
  number: 'REAL NOT NULL',
  text: 'TEXT NOT NULL',
  phone: 'TEXT NOT NULL',
  time: 'TEXT',
  json: 'TEXT',
};

const typedColumns = FIELDS.map(({ column, kind }) => `${column} ${SQL_TYPE[kind]}`).join(',\n  ');

/** Version of the tables, in `PRAGMA user_version`. */
export const FORM = 1;

/** The tables of a history. Times are UTC, ISO 8601, milliseconds. */
export const TABLES = `
CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  customer_id TEXT NOT NULL,
  path_id TEXT NOT NULL
) STRICT;

-- Every pull that was tried, with the period for which its response was complete. By the account's name, because an
-- account that never responded has no row, and its ids may be the mistake.
CREATE TABLE pull (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL,
  at TEXT NOT NULL,
  -- NULL, or the code of its error.
  failure TEXT,
  covered_from TEXT,
  covered_until TEXT
) STRICT;
CREATE INDEX pull_by_account ON pull (account, at);

-- One row per batch ever seen; current_seq names its present version.
CREATE TABLE batch (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account,
  batch_id INTEGER NOT NULL,
  current_seq INTEGER NOT NULL,
  versions INTEGER NOT NULL,
  -- SHA-256 of the present version's raw text, in the form in which equal records are equal.
  hash TEXT NOT NULL,
  date_created TEXT NOT NULL,
  first_seen_at TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  -- When its recipient was erased, and when its sender was: later pulls leave them out.
  erased_at TEXT,
  sender_erased_at TEXT,
  UNIQUE (account_id, batch_id)
) STRICT;
CREATE INDEX batch_by_creation ON batch (account_id, date_created);

-- Every version of every batch. change_seq orders all changes of the store and is never reused.
CREATE TABLE version (
  change_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  batch_row INTEGER NOT NULL REFERENCES batch DEFERRABLE INITIALLY DEFERRED,
  number INTEGER NOT NULL,
  seen_at TEXT NOT NULL,
  ${typedColumns},
  -- Fields that the interface does not list.
  extra_json TEXT,
  -- The recipient, equal in all spellings (see contactOf).
  contact TEXT NOT NULL,
  raw TEXT NOT NULL,
  UNIQUE (batch_row, number)
) STRICT;
CREATE INDEX version_by_time ON version (seen_at);

-- Records that broke the contract, kept until they can be read.
CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account,
  hash TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  raw TEXT NOT NULL,
  UNIQUE (account_id, hash)
) STRICT;

CREATE TABLE field_type (
  account_id INTEGER NOT NULL REFERENCES account,
  field TEXT NOT NULL,
  type TEXT NOT NULL,
  PRIMARY KEY (account_id, field, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE drift (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account,
  at TEXT NOT NULL,
  code TEXT NOT NULL,
  field TEXT,
  detail TEXT NOT NULL,
  -- When it was acknowledged: the same finding is not recorded again.
  seen_at TEXT
) STRICT;

CREATE TABLE hole (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account,
  from_at TEXT NOT NULL,
  until_at TEXT NOT NULL,
  reason TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  filled_at TEXT
) STRICT;

-- Every writing of an export or a report. From its unnamed file a killed run is recognised; from its
-- hash, a file that may be replaced. The position of a stream is the last change of its finished runs.
CREATE TABLE export_run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  stream TEXT,
  -- The only account that it contains. NULL: all.
  account TEXT,
  -- NULL: a report, which names only senders.
  pii TEXT,
  output TEXT NOT NULL,
  temporary TEXT NOT NULL,
  folder TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('begun', 'written', 'done')),
  from_seq INTEGER,
  to_seq INTEGER,
  rows INTEGER,
  sha256 TEXT
) STRICT;

-- Persons that must not come back: keyed hashes, and which key made them.
CREATE TABLE erased_person (
  mark TEXT PRIMARY KEY,
  key_check TEXT NOT NULL,
  erased_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Batches whose person was erased after they were stored: consumers of exports must erase them too.
-- seq orders all erasures of the store and is never reused.
CREATE TABLE erased_batch (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  batch_row INTEGER NOT NULL UNIQUE REFERENCES batch,
  at TEXT NOT NULL
) STRICT;

-- Batches whose contact lost another batch by an erasure: the contact changed, although no batch of it did.
-- Numbered in the order of changes. account_id is the account of the erased batch.
CREATE TABLE contact_change (
  batch_row INTEGER NOT NULL REFERENCES batch,
  account_id INTEGER NOT NULL REFERENCES account,
  change_seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (batch_row, account_id)
) STRICT, WITHOUT ROWID;
`;
