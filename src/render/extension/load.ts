import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { WithSecrets } from '../../config/build-secrets.ts';
import { lineOfImportError } from '../../config/error-line.ts';
import { importDefault } from '../../config/import-file.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Extension, ExtensionConfig } from '../../site/extend.ts';
import { NO_FUNCTIONS, type TemplateFunctions } from '../theme/functions.ts';
import { runEleventyHook } from './eleventy-hook.ts';
import { extensionError, withSafeErrors, wrongExtension } from './failure.ts';
import { NotPlainError, plainCopy } from './plain.ts';
import { sourceFiles } from './source-files.ts';

/** Longest that `data()` or the hook may take, in milliseconds: a build in the night must end. */
const DEADLINE = 120_000;

const FUNCTION = z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function', {
  message: 'must be a function',
});

const shape = z.strictObject({
  data: FUNCTION.optional(),
  pages: FUNCTION.optional(),
  eleventy: FUNCTION.optional(),
  watch: z.array(z.string().min(1)).optional(),
});

/** An extension that is read, without its data. */
export interface OpenExtension extends Pick<Extension<Record<string, unknown>>, 'data' | 'pages'> {
  /** Absolute. */
  file: string;
  /** What its hook added for templates to call. */
  functions: TemplateFunctions;
  /** Whether it has data or pages: they are made once, by who has all vehicles. */
  needsAll: boolean;
  /** Absolute paths that it depends on, its own file among them. */
  watched: readonly [string, ...string[]];
}

/** One with its data. */
export interface LoadedExtension extends Omit<OpenExtension, 'data'> {
  /** What `data()` gave, checked and copied. */
  data: Record<string, unknown>;
}

type ConfigPart = Pick<LoadedConfig, 'site' | 'file'> & WithSecrets;

/** The file of a configuration's extension; undefined where there is none. */
export function extensionFile({ site, file }: Pick<LoadedConfig, 'site' | 'file'>) {
  return site.extend === undefined ? undefined : path.resolve(path.dirname(file), site.extend);
}

/** What an extension is told: picked field by field, so that nothing new is told by accident. */
function publicConfig({ site, dealers }: ConfigPart): ExtensionConfig {
  const { title, url, locale, timeZone } = site;
  return {
    site: { title, url, locale, timeZone },
    dealers: dealers.map(({ id, name, slug }) => ({ id, name, slug })),
  };
}

async function importExtension(file: string, config: ConfigPart) {
  const status = await stat(file).catch(() => undefined);
  if (!status?.isFile()) {
    throw wrongExtension(file, {
      does: 'does not exist',
      why: 'site.extend names it; a relative path counts from the configuration file.',
      fix: 'Correct site.extend, or take it out.',
    });
  }
  let exported: unknown;
  try {
    exported = await importDefault(file);
  } catch (error) {
    const place = await lineOfImportError(file, error);
    throw extensionError(file, 'its first lines', error, config, place);
  }
  const parsed = shape.safeParse(exported);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrongExtension(file, {
    does: 'exports no extension by default',
    why:
      issue?.code === 'unrecognized_keys'
        ? `It has ${issue.keys.join(', ')}; an extension has data, pages, eleventy and watch.`
        : `${issue?.path.join('.') || 'The default export'}: ${issue?.message}`,
    fix: 'Write "export default defineExtension({ … })"; docs/extending.md has an example.',
  });
}

interface Limits {
  signal?: AbortSignal | undefined;
  /** Milliseconds. */
  deadline?: number;
}

/** Has an extension do what may wait, until the build is stopped or its time is over. */
async function whileWaiting<Result>(
  { file, part, config }: { file: string; part: string; config: ConfigPart },
  { signal, deadline = DEADLINE }: Limits,
  work: (signal: AbortSignal) => Result | Promise<Result>,
): Promise<Result> {
  // Stopped while the file was imported: an event that has been is not heard any more.
  signal?.throwIfAborted();
  const late = AbortSignal.timeout(deadline);
  const ends = signal ? AbortSignal.any([signal, late]) : late;
  // Raced, because an extension need not look at its signal.
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(ends.reason);
  ends.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work(ends), ended.promise]);
  } catch (error) {
    signal?.throwIfAborted();
    if (!late.aborted) throw extensionError(file, part, error, config);
    throw wrongExtension(file, {
      does: `was not done with ${part} after ${deadline / 1000} seconds`,
      why: 'Something that it waits for does not answer.',
      fix: 'Give its requests a deadline of their own, and an answer for when they fail.',
    });
  } finally {
    ends.removeEventListener('abort', end);
  }
}

/** A copy of an object of plain JSON. @throws {ConfigError} it is something else. */
export function checkedData(file: string, given: unknown, from: string): Record<string, unknown> {
  try {
    const copy = plainCopy(given, from);
    if (typeof copy === 'object' && copy !== null && !Array.isArray(copy)) {
      return copy as Record<string, unknown>;
    }
    throw new NotPlainError(from, 'is no object with names');
  } catch (error) {
    if (!(error instanceof NotPlainError)) throw error;
    throw wrongExtension(file, {
      does: 'gives data that is not plain JSON',
      why: `${error.path} ${error.message}.`,
      fix: 'Give objects, lists, texts, finite numbers, true, false and null alone; write a date as text.',
    });
  }
}

/**
 * Imports the extension of a configuration, and has it add what templates call.
 *
 * @throws {ConfigError} it is missing, wrong, or throws; file and line are named where known.
 */
export async function openExtension(
  config: ConfigPart,
  limits: Limits = {},
): Promise<OpenExtension | undefined> {
  const file = extensionFile(config);
  if (file === undefined) return undefined;
  const {
    eleventy,
    watch = [],
    ...rest
  } = (await importExtension(file, config)) as Extension<Record<string, unknown>>;
  const watched: OpenExtension['watched'] = [
    file,
    ...watch.map((name) => path.resolve(path.dirname(file), name)),
  ];
  const needsAll = rest.data !== undefined || rest.pages !== undefined;
  if (!eleventy) return { ...rest, file, watched, needsAll, functions: NO_FUNCTIONS };
  const part = { file, part: 'eleventy()', config };
  const added = await whileWaiting(part, limits, () => runEleventyHook(eleventy));
  const safe = <Value>(list: Readonly<Record<string, Value>>) =>
    Object.fromEntries(
      Object.entries(list).map(([name, value]) => [
        name,
        typeof value === 'function' ? withSafeErrors(value as never, file, config) : value,
      ]),
    ) as Record<string, Value>;
  const functions = {
    filters: safe(added.filters),
    shortcodes: safe(added.shortcodes),
    pairedShortcodes: safe(added.pairedShortcodes),
    globals: safe(added.globals),
    files: sourceFiles(watched),
  };
  return { ...rest, file, watched, needsAll, functions };
}

/** Has an extension fetch its data. @throws {ConfigError} as {@link openExtension} does. */
export async function fillExtension(
  { data, ...extension }: OpenExtension,
  config: ConfigPart,
  limits: Limits = {},
): Promise<LoadedExtension> {
  const { file } = extension;
  if (!data) return { ...extension, data: {} };
  const given = await whileWaiting({ file, part: 'data()', config }, limits, (signal) =>
    data({ config: publicConfig(config), signal }),
  );
  return { ...extension, data: checkedData(file, given, 'data()') };
}

/** Both of that. */
export async function loadExtension(
  config: ConfigPart,
  limits: Limits = {},
): Promise<LoadedExtension | undefined> {
  const extension = await openExtension(config, limits);
  return extension && fillExtension(extension, config, limits);
}
