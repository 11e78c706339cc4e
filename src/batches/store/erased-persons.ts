import type { DatabaseSync } from 'node:sqlite';
import { HASH_KEY_VARIABLE } from '../../config/environment.ts';
import type { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import {
  type ErasedTest,
  type Identifier,
  identifiersIn,
  keyCheck,
  keyedHash,
} from '../model/persons.ts';
import { change } from './sql.ts';

/** Keyed hash of an erased person. It cannot be reversed, or guessed without the key. */
const personMark = (key: Secret, identifier: Identifier): string =>
  keyedHash(key, 'erased', identifier);

/**
 * Records that these identifiers were erased. Must run inside a transaction.
 *
 * @throws {ConfigError} other persons were erased with another key. With hashes of two keys, every pull would fail.
 */
export function recordErased(
  db: DatabaseSync,
  key: Secret,
  identifiers: ReadonlySet<Identifier>,
  at: string,
): void {
  erasedTest(db, key);
  const add = db.prepare(
    'INSERT OR IGNORE INTO erased_person (mark, key_check, erased_at) VALUES (?, ?, ?)',
  );
  for (const identifier of identifiers) add.run(personMark(key, identifier), keyCheck(key), at);
}

/** Removes the hashes of erased persons. Erased batches stay erased. @returns the number of hashes. */
export const dropErasedMarks = (db: DatabaseSync): number =>
  change(db, 'DELETE FROM erased_person');

/**
 * Returns a function that detects records that mention an erased person.
 *
 * @throws {ConfigError} persons were erased and the key of their hashes is missing. Without it, a pull would store
 *   these persons again.
 */
export function erasedTest(db: DatabaseSync, key: Secret | undefined): ErasedTest {
  const rows = db.prepare('SELECT mark, key_check FROM erased_person').all();
  if (rows.length === 0) return () => false;
  const isRightKey = key !== undefined && rows.every((row) => row.key_check === keyCheck(key));
  if (!isRightKey) {
    throw new ConfigError({
      code: key ? 'hash-key-differs' : 'hash-key-missing',
      what: `The history holds ${countText(rows.length, 'hash', 'hashes')} of erased people, and ${HASH_KEY_VARIABLE} is ${key ? 'not the key that recognises them' : 'not set'}.`,
      why: 'Without the key of the erasure, a pull would bring them back.',
      fix: `Set ${HASH_KEY_VARIABLE} to that key. If it is lost, run "forget --drop-marks", and erase these people again with a new key. Erased batches stay erased.`,
    });
  }
  const marks = new Set(rows.map(({ mark }) => String(mark)));
  return (record) =>
    [...identifiersIn(record)].some((identifier) => marks.has(personMark(key, identifier)));
}
