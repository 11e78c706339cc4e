import { createHash, type Hash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { isSafeFile } from '../lib/files/safe-file.ts';

/**
 * A change set: the whole site as a list, and beside it, in the folder `files`, the bytes of what is
 * new. A build without the published site on its disk writes one, and a deploy uploads it.
 */

/** Name of the list. */
export const CHANGES = 'changes.ndjson';
/** Folder of the bytes. A file in it that the list does not name was added by the user, and is published too. */
export const CHANGED_FILES = 'files';

/** SHA-1 of a file, see `fileHash`. */
export const fileHashSchema = z.string().regex(/^[A-Za-z0-9_-]{27}$/);
/** Path below the site, without a slash at the start. */
const pathSchema = z.string().max(1000).refine(isSafeFile);

const headSchema = z.strictObject({
  version: z.literal(1),
  /** Address of the site, without a slash at the end. */
  site: z.url(),
  /** When the newest answer that it shows was accepted, UTC. */
  built: z.iso.datetime(),
  /**
   * Hash of the published `times.json` that the build began with, see `bytesHash`; null where it does not
   * know all that was published then.
   */
  base: z
    .string()
    .regex(/^[A-Za-z0-9_-]{22}$/)
    .nullable(),
  /** Key of IndexNow, if changed addresses are to be reported; the site has a file of that name. */
  indexNow: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
});

const fileSchema = z.tuple([pathSchema, z.int().min(0), fileHashSchema]);

const tailSchema = z.strictObject({
  /** Published files that the site no longer has, compared with `base`. */
  gone: z.array(pathSchema),
  /** Pages that are new, changed or removed. */
  changed: z.array(pathSchema),
  /** Number of files, and their bytes. */
  files: z.int().min(0),
  bytes: z.int().min(0),
  /** SHA-256 of all lines before, 43 letters and digits. */
  sum: z.string(),
});

export type ChangesHead = z.infer<typeof headSchema>;
/** One file of the site. */
export interface SiteFile {
  /** Path below the site, without a slash at the start. */
  path: string;
  /** Bytes. */
  size: number;
  /** See `fileHash`. */
  hash: string;
}
export type ChangesTail = Pick<z.infer<typeof tailSchema>, 'gone' | 'changed'>;

/** A change set's list, read whole. */
export interface Changes extends ChangesHead, ChangesTail {
  /** By path. */
  files: ReadonlyMap<string, SiteFile>;
}

/**
 * The list as lines, each with its end: the same for the same site.
 *
 * @param files in order of their paths; one that comes twice is written once.
 */
export function* changesLines(
  head: Omit<ChangesHead, 'version'>,
  files: Iterable<SiteFile>,
  { gone, changed }: ChangesTail,
): Iterable<string> {
  const sum = createHash('sha256');
  const line = (value: unknown): string => {
    const text = `${JSON.stringify(value)}\n`;
    sum.update(text);
    return text;
  };
  yield line({ version: 1, ...head });
  let [count, bytes] = [0, 0];
  let last: string | undefined;
  for (const { path, size, hash } of files) {
    if (path === last) continue;
    if (last !== undefined && path < last) throw new Error(`${path} comes after ${last}.`);
    last = path;
    count += 1;
    bytes += size;
    yield line([path, size, hash]);
  }
  const tail = { gone: [...gone].sort(), changed: [...changed].sort(), files: count, bytes };
  yield `${JSON.stringify({ ...tail, sum: sumOf(sum) })}\n`;
}

/** Longer than the first line of a list. */
const LONGEST_HEAD = 4096;

/** Whether a file begins like one that {@link changesLines} wrote, of any version, complete or not. */
export function isChangesFile(file: string): boolean {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(LONGEST_HEAD);
    const [line = ''] = bytes.toString('utf8', 0, readSync(handle, bytes)).split('\n', 1);
    return looseHead.safeParse(JSON.parse(line)).success;
  } catch {
    return false;
  } finally {
    closeSync(handle);
  }
}

const looseHead = z.object({ version: z.int(), site: z.string(), built: z.string() });

/** Reads what {@link changesLines} wrote; undefined where it is torn, altered or of another version. */
export async function readChanges(file: string): Promise<Changes | undefined> {
  const lines = createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  const sum = createHash('sha256');
  const files = new Map<string, SiteFile>();
  let head: ChangesHead | undefined;
  let tail: z.infer<typeof tailSchema> | undefined;
  let bytes = 0;
  try {
    for await (const text of lines) {
      if (tail) return undefined;
      const value: unknown = JSON.parse(text);
      if (!head) {
        head = headSchema.parse(value);
      } else if (Array.isArray(value)) {
        const [path, size, hash] = fileSchema.parse(value);
        files.set(path, { path, size, hash });
        bytes += size;
      } else {
        tail = tailSchema.parse(value);
        continue;
      }
      sum.update(`${text}\n`);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall) throw error;
    return undefined;
  }
  if (!head || tail?.sum !== sumOf(sum) || tail.files !== files.size || tail.bytes !== bytes) {
    return undefined;
  }
  return { ...head, files, gone: tail.gone, changed: tail.changed };
}

const sumOf = (sum: Hash): string => sum.copy().digest('base64url');
