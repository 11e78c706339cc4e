import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { FieldNames } from '../contract/field-names.ts';

/** The files that decide what of an answer is accepted, and in which form. */
const DECIDING = [
  '../contract/field-names.ts',
  '../contract/media.ts',
  '../contract/parse.ts',
  './accept.ts',
  './address.ts',
  './vehicle.ts',
];

let code: string | undefined;

/**
 * Names the way in which answers are accepted: the text of the code that does it, zod's version, and
 * the names of the service's fields. Records that were accepted in this way need not be looked at
 * again; a number to be raised by hand would be forgotten some day.
 */
export function acceptance(names: FieldNames): string {
  code ??= [
    ...DECIDING.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')),
    readFileSync(findPackageJSON('zod', import.meta.url) ?? '', 'utf8'),
  ].join('\0');
  return hash('sha256', `${JSON.stringify(names)}\0${code}`, 'hex').slice(0, 20);
}
