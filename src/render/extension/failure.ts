import { stripVTControlCharacters } from 'node:util';
import { secretsOf } from '../../config/build-secrets.ts';
import { lineOf } from '../../config/error-line.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { ConfigError } from '../../errors.ts';

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

/** Something that an extension threw. Its words may quote an address or a key, so keys are taken out. */
export function extensionError(
  file: string,
  part: string,
  error: unknown,
  config: Pick<LoadedConfig, 'dealers' | 'accounts'>,
  place?: string,
): ConfigError {
  const line = lineOf(file, error);
  const where = place === undefined && line !== undefined ? `line ${line}` : place;
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const text = stripVTControlCharacters(inner === '' ? said : `${said} (${inner})`);
  // Without `cause`: --debug would print it as it is.
  return wrongExtension(file, {
    does: `failed in ${part}${where === undefined ? '' : `, ${where.replace(`${file}, `, '')}`}`,
    why: secretsOf(config).reduce((safe, key) => key.redact(safe), text),
    fix: 'Correct it there, or take site.extend out to build without it; docs/extending.md has an example. The published site is as it was.',
  });
}
