import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { readIfReadable } from '../lib/files/read.ts';
import { isSafeFile } from '../lib/files/safe-file.ts';

/**
 * A change set: a list of all files of the site, and a folder `files` with the new and changed ones.
 * A build writes one if the published site is not on its disk. A deploy uploads it.
 */

/** Name of the list. */
export const CHANGES = 'changes.ndjson';
/** Folder of the new and changed files. Other files in it were added by the user and are also published. */
export const CHANGED_FILES = 'files';

/** SHA-1 of a file, see `fileHash`. */
export const fileHashSchema = z.string().regex(/^[A-Za-z0-9_-]{27}$/);
/** Path below the site, without a slash at the start. */
const pathSchema = z.string().max(1000).refine(isSafeFile);

const headSchema = z.strictObject({
  version: z.literal(1),
  /** Address of the site, without a slash at the end. */
  site: z.url(),
  /** When the newest response that the site shows was accepted, UTC. */
  built: z.iso.datetime(),
  /** Key of IndexNow, if changed URLs are reported. The site has a file with this name. */
  indexNow: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
  /** Pages that are new, changed or removed. */
  changed: z.array(pathSchema),
});

const fileSchema = z.tuple([pathSchema, z.int().min(0), fileHashSchema]);

/** SHA-256 of all previous lines, base64url: 43 characters. */
const tailSchema = z.strictObject({ sum: z.string() });

export type ChangesHead = Omit<z.infer<typeof headSchema>, 'version'>;
export interface SiteFile {
  /** Path below the site, without a slash at the start. */
  path: string;
  /** Bytes. */
  size: number;
  /** See `fileHash`. */
  hash: string;
}

/** The list of a change set, complete and verified. */
export interface Changes extends ChangesHead {
  /** By path. */
  files: ReadonlyMap<string, SiteFile>;
}

export const fileLine = ({ path, size, hash }: SiteFile): string =>
  `${JSON.stringify([path, size, hash])}\n`;

/**
 * The lines of the list, with line breaks.
 *
 * @param files or their lines, see {@link fileLine}. If two files have the same path, the later one counts.
 */
export function* changesLines(
  { site, built, indexNow, changed }: ChangesHead,
  files: Iterable<SiteFile | string>,
): Iterable<string> {
  const sum = createHash('sha256');
  const add = (text: string): string => {
    sum.update(text);
    return text;
  };
  yield add(`${JSON.stringify({ version: 1, site, built, indexNow, changed })}\n`);
  for (const file of files) yield add(typeof file === 'string' ? file : fileLine(file));
  yield `${JSON.stringify({ sum: sumOf(sum) })}\n`;
}

const START = /^\{"version":\d+,"site":"[^"]*","built":"/;
/** Bytes that are searched. Longer than any match of `START`. */
const LONGEST_START = 4096;

/** Whether a file starts like a list of {@link changesLines}, of any version, complete or not. */
export const isChangesFile = (file: string): boolean =>
  START.test(readIfReadable(file)?.toString('utf8', 0, LONGEST_START) ?? '');

/** Reads a list of {@link changesLines}. Undefined if it is incomplete, altered or of another version. */
export async function readChanges(file: string): Promise<Changes | undefined> {
  const lines = createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  const sum = createHash('sha256');
  const files = new Map<string, SiteFile>();
  let head: ChangesHead | undefined;
  let isEnd = false;
  try {
    for await (const text of lines) {
      if (isEnd) return undefined;
      const value: unknown = JSON.parse(text);
      if (!head) {
        const { version: _, ...fields } = headSchema.parse(value);
        head = fields;
      } else if (Array.isArray(value)) {
        const [path, size, hash] = fileSchema.parse(value);
        files.set(path, { path, size, hash });
      } else {
        isEnd = tailSchema.parse(value).sum === sumOf(sum);
        if (!isEnd) return undefined;
      }
      sum.update(`${text}\n`);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall) throw error;
    return undefined;
  }
  return head && isEnd ? { ...head, files } : undefined;
}

const sumOf = (sum: Hash): string => sum.copy().digest('base64url');
