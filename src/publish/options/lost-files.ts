import { readFileSync } from 'node:fs';
import { ConfigError } from '../../errors.ts';
import { reasonOf } from '../../lib/files/system-errors.ts';
import { readLost } from '../change-set/lost.ts';
import type { OutputForm } from './output-form.ts';

const wrong = (what: string, why: string, fix: string, cause?: unknown): ConfigError =>
  new ConfigError({ code: 'argument-lost', what, why, fix, cause });

/**
 * Reads the list of files that a deploy could not find.
 *
 * @param form of the build: a whole site contains all files anyway.
 * @throws {ConfigError} the file cannot be read, or is no such list.
 */
export function readLostFiles(file: string, form: OutputForm): string[] {
  if (form === 'whole') {
    throw wrong(
      '--lost belongs to --thin.',
      'A whole site holds every file anyway.',
      'Add --thin, or leave --lost out.',
    );
  }
  const fix = 'Name the lost.json that npm run deploy wrote.';
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw wrong(`The list ${file} cannot be read.`, reasonOf(cause), fix, cause);
  }
  const files = readLost(text);
  if (!files)
    throw wrong(`${file} is no list of lost files.`, 'A deploy writes another form.', fix);
  return files;
}
