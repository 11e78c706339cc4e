import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { lineOfImportError } from '../../config/error-line.ts';
import { importDefault } from '../../config/import-file.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Extension, ExtensionConfig } from '../../site/extend.ts';
import { extensionError, wrongExtension } from './failure.ts';
import { NotPlainError, plainCopy } from './plain.ts';

/** Longest that `data()` may take: a build in the night must end. */
const DATA_DEADLINE = 120_000;

const FUNCTION = z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function', {
  message: 'must be a function',
});

const shape = z.strictObject({
  data: FUNCTION.optional(),
  pages: FUNCTION.optional(),
  watch: z.array(z.string().min(1)).optional(),
});

/** An extension that is read, with its data. */
export interface LoadedExtension {
  /** Absolute. */
  file: string;
  /** What `data()` gave, checked and copied. */
  data: Record<string, unknown>;
  pages: Extension<Record<string, unknown>>['pages'];
  /** Absolute paths that its data depends on, its own file among them. */
  watched: readonly string[];
}

type ConfigPart = Pick<LoadedConfig, 'site' | 'dealers' | 'accounts' | 'file'>;

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
        ? `It has ${issue.keys.join(', ')}; an extension has data, pages and watch.`
        : `${issue?.path.join('.') || 'The default export'}: ${issue?.message}`,
    fix: 'Write "export default defineExtension({ … })"; docs/extending.md has an example.',
  });
}

async function dataOf(
  file: string,
  data: Extension<Record<string, unknown>>['data'],
  config: ConfigPart,
  { signal, deadline }: { signal: AbortSignal | undefined; deadline: number },
): Promise<Record<string, unknown>> {
  if (!data) return {};
  // Stopped while the file was imported: an event that has been is not heard any more.
  signal?.throwIfAborted();
  const late = AbortSignal.timeout(deadline);
  const ends = signal ? AbortSignal.any([signal, late]) : late;
  // Raced, because an extension need not look at its signal.
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(ends.reason);
  ends.addEventListener('abort', end, { once: true });
  let given: unknown;
  try {
    given = await Promise.race([
      data({ config: publicConfig(config), signal: ends }),
      ended.promise,
    ]);
  } catch (error) {
    signal?.throwIfAborted();
    if (!late.aborted) throw extensionError(file, 'data()', error, config);
    throw wrongExtension(file, {
      does: `was not done with data() after ${deadline / 1000} seconds`,
      why: 'Something that it waits for does not answer.',
      fix: 'Give its requests a deadline of their own, and an answer for when they fail.',
    });
  } finally {
    ends.removeEventListener('abort', end);
  }
  return checkedData(file, given, 'data()');
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
 * Imports the extension of a configuration and has it fetch its data.
 *
 * @throws {ConfigError} it is missing, wrong, or throws; file and line are named where known.
 */
export async function loadExtension(
  config: ConfigPart,
  {
    signal,
    deadline = DATA_DEADLINE,
  }: { signal?: AbortSignal | undefined; deadline?: number } = {},
): Promise<LoadedExtension | undefined> {
  const file = extensionFile(config);
  if (file === undefined) return undefined;
  const {
    data,
    pages,
    watch = [],
  } = (await importExtension(file, config)) as Extension<Record<string, unknown>>;
  return {
    file,
    data: await dataOf(file, data, config, { signal, deadline }),
    pages,
    watched: [file, ...watch.map((name) => path.resolve(path.dirname(file), name))],
  };
}
