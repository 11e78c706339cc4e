import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';

const HEAD = `# Keys of this site. Git ignores this file. Do not share it. In CI, the keys are secrets.
`;

/** The text of a file. Undefined if there is none. Other entries of that name are checked later. */
export async function readIfFile(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(cause.code ?? '')) return undefined;
    throw new ConfigError({
      code: 'init-not-writable',
      what: `Nothing was written: ${path.basename(file)} could not be read.`,
      why: cause.message,
      fix: 'Check the rights of the file, and run it again.',
      cause,
    });
  });
}

/** A value as the file's reader takes it back unchanged. */
function envValue(name: string, value: string): string {
  if (/^[\w.~+/=:@-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((one) => !value.includes(one));
  if (quote && !/[\n\r\\]/.test(value)) return `${quote}${value}${quote}`;
  throw new ConfigError({
    code: 'env-value',
    what: `The value of ${name} cannot be written into .env.`,
    why: 'It holds all kinds of quotes, a backslash or a line break.',
    fix: `Set ${name} in the environment instead.`,
  });
}

export interface EnvPlan {
  text: string;
  /** Variables that the file already has with another value. */
  conflicts: string[];
  changed: boolean;
}

/**
 * The text of `.env` with these variables set: other lines stay unchanged. Replaced values are
 * named in `conflicts`. The caller asks first.
 *
 * @param toFillIn variables that the user will need: missing ones get an empty line.
 */
export async function planEnvFile(
  file: string,
  wanted: ReadonlyMap<string, Secret>,
  toFillIn: readonly string[] = [],
): Promise<EnvPlan> {
  const former = await readIfFile(file);
  const has = parseEnv(former ?? '');
  const conflicts: string[] = [];
  let text = former ?? HEAD;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const empty = toFillIn.filter((name) => has[name] === undefined && !wanted.has(name));
  for (const [name, secret] of [
    ...wanted,
    ...empty.map((name) => [name, new Secret('')] as const),
  ]) {
    const value = secret.reveal();
    if (has[name] === value) continue;
    const line = `${name}=${envValue(name, value)}`;
    if (has[name] === undefined) {
      text += `${text === '' || text.endsWith('\n') ? '' : end}${line}${end}`;
      continue;
    }
    if (has[name] !== '') conflicts.push(name);
    // Within the line, so that line breaks of any kind stay.
    const place = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[^\\r\\n]*`, 'm');
    text = text.replace(place, () => line);
  }
  // A value over several lines cannot be replaced line by line: better nothing than half of it.
  const now = parseEnv(text);
  const others = Object.entries(has).filter(([name]) => !wanted.has(name));
  const harmed = others.find(([name, value]) => now[name] !== value)?.[0];
  for (const [name, secret] of wanted) {
    if (now[name] !== secret.reveal() || harmed !== undefined) {
      throw new ConfigError({
        code: 'env-unreadable',
        what: `${name} could not be set in .env.`,
        why: 'The file is written in a way that cannot be changed safely.',
        fix: `Write ${name} into it yourself, on one line.`,
      });
    }
  }
  return { text, conflicts, changed: text !== former };
}
