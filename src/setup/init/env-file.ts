import { parseEnv } from 'node:util';
import type { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';

const HEAD = `# Keys of this site. Git ignores this file. Do not share it. In CI, the keys are secrets.
`;

/** Quotes a value so that it is read back unchanged. */
function envValue(name: string, value: string): string {
  if (/^[\w.~+/=:@-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((mark) => !value.includes(mark));
  if (quote && !/[\n\r\\]/.test(value)) return `${quote}${value}${quote}`;
  throw new ConfigError({
    code: 'env-value',
    what: `The value of ${name} cannot be written into .env.`,
    why: 'It contains every kind of quote, a backslash or a line break.',
    fix: `Set ${name} in the environment instead.`,
  });
}

/**
 * Sets variables in the text of `.env`. Other lines stay unchanged.
 *
 * @param toFillIn variables that the user must fill in. Missing variables are added without a value.
 * @returns the text, and the names of variables that had another value.
 */
export function envText(
  former: string | undefined,
  variables: ReadonlyMap<string, Secret>,
  toFillIn: readonly string[] = [],
): { text: string; conflicts: string[] } {
  const formerValues = parseEnv(former ?? '');
  const conflicts: string[] = [];
  let text = former ?? HEAD;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const empty = toFillIn.filter((name) => formerValues[name] === undefined && !variables.has(name));
  for (const name of [...variables.keys(), ...empty]) {
    const value = variables.get(name)?.reveal() ?? '';
    if (formerValues[name] === value) continue;
    const line = `${name}=${envValue(name, value)}`;
    if (formerValues[name] === undefined) {
      text += `${text === '' || text.endsWith('\n') ? '' : end}${line}${end}`;
      continue;
    }
    if (formerValues[name] !== '') conflicts.push(name);
    // Replaces only within the line, to keep its line break.
    const place = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[^\\r\\n]*`, 'm');
    text = text.replace(place, () => line);
  }
  // Multi-line values cannot be replaced line by line. Fails instead of writing a part.
  const newValues = parseEnv(text);
  const otherValues = Object.entries(formerValues).filter(([name]) => !variables.has(name));
  const changedName = otherValues.find(([name, value]) => newValues[name] !== value)?.[0];
  for (const [name, secret] of variables) {
    if (newValues[name] !== secret.reveal() || changedName !== undefined) {
      throw new ConfigError({
        code: 'env-unreadable',
        what: `${name} could not be set in .env.`,
        why: 'The file has a form that cannot be changed safely.',
        fix: `Write ${name} into it yourself, on one line.`,
      });
    }
  }
  return { text, conflicts };
}
