import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import type { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';

const HEAD = `# Keys of this site. git ignores this file; nobody else needs it. In CI the keys are secrets.
`;

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
 * The text of `.env` with these variables set: what stands in it otherwise is kept as it is. Values
 * that would be replaced are named in `conflicts`; the caller asks first.
 */
export async function planEnvFile(
  file: string,
  wanted: ReadonlyMap<string, Secret>,
): Promise<EnvPlan> {
  const former = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const has = parseEnv(former ?? '');
  const conflicts: string[] = [];
  let text = former ?? HEAD;
  for (const [name, secret] of wanted) {
    const value = secret.reveal();
    if (has[name] === value) continue;
    const line = `${name}=${envValue(name, value)}`;
    if (has[name] === undefined) {
      text += `${text.endsWith('\n') ? '' : '\n'}${line}\n`;
      continue;
    }
    if (has[name] !== '') conflicts.push(name);
    text = text.replace(new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=.*$`, 'm'), () => line);
  }
  // A value over several lines cannot be replaced line by line: better nothing than half of it.
  const now = parseEnv(text);
  for (const [name, secret] of wanted) {
    if (now[name] !== secret.reveal()) {
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
