import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { secretsOf, type WithSecrets } from '../../config/build-secrets.ts';
import { lineOf } from '../../config/error-line.ts';
import { ConfigError } from '../../errors.ts';
import type { TemplateFunction } from '../theme/functions.ts';

/** What is wrong with an extension: `does`, then why, then what to do. */
export function wrongExtension(
  file: string,
  { does, why, fix, cause }: { does: string; why: string; fix: string; cause?: unknown },
): ConfigError {
  return new ConfigError({
    code: 'extension-failed',
    what: `The extension ${file} ${does}.`,
    why,
    fix,
    cause,
  });
}

/** What an error of an extension says. It may quote an address or a key, so keys are taken out. */
function textOf(error: unknown, config: WithSecrets): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const text = stripVTControlCharacters(inner === '' ? said : `${said} (${inner})`);
  return secretsOf(config).reduce((safe, key) => key.redact(safe), text);
}

/** Something that an extension threw. */
export function extensionError(
  file: string,
  part: string,
  error: unknown,
  config: WithSecrets,
  place?: string,
): ConfigError {
  const line = lineOf(file, error);
  const where = place === undefined && line !== undefined ? `line ${line}` : place;
  // Without `cause`: --debug would print it as it is.
  return wrongExtension(file, {
    does: `failed in ${part}${where === undefined ? '' : `, ${where.replace(`${file}, `, '')}`}`,
    why: textOf(error, config),
    fix: 'Correct it there, or take site.extend out to build without it; docs/extending.md has an example. The published site is as it was.',
  });
}

/** A function of an extension whose errors say where they come from, and no key. */
export function withSafeErrors(
  work: TemplateFunction,
  file: string,
  config: WithSecrets,
): TemplateFunction {
  return function (this: unknown, ...args) {
    try {
      return work.apply(this, args);
    } catch (error) {
      const line = lineOf(file, error);
      const place = line === undefined ? '' : ` (${path.basename(file)}, line ${line})`;
      throw new Error(`${textOf(error, config)}${place}`);
    }
  };
}
