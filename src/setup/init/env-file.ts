import { parseEnv } from 'node:util';
import type { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';

const HEAD = `# Keys of this site. Git ignores this file. Do not share it. In CI, the keys are secrets.
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

/**
 * The text of `.env` with these variables set, and the names of variables that had another value.
 * Other lines stay unchanged.
 *
 * @param toFillIn variables that the user will need: missing ones get an empty line.
 */
export function envText(
  former: string | undefined,
  wanted: ReadonlyMap<string, Secret>,
  toFillIn: readonly string[] = [],
): { text: string; conflicts: string[] } {
  const has = parseEnv(former ?? '');
  const conflicts: string[] = [];
  let text = former ?? HEAD;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const empty = toFillIn.filter((name) => has[name] === undefined && !wanted.has(name));
  for (const name of [...wanted.keys(), ...empty]) {
    const value = wanted.get(name)?.reveal() ?? '';
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
  return { text, conflicts };
}
