import { existsSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { AppError, ConfigError, GateError, MachineError } from '../../errors.ts';
import { bytesText } from '../terminal/progress.ts';

/** `full`: the disk is full. `fault`: the disk or another program is at fault, not the path. */
const REASONS: Record<string, { why: string; fix: string; full?: true; fault?: true }> = {
  ENOSPC: {
    why: 'The disk is full.',
    fix: 'Free some space and run the command again.',
    full: true,
  },
  EDQUOT: {
    why: 'The disk quota is used up.',
    fix: 'Free some space and run it again.',
    full: true,
  },
  EFBIG: { why: 'The file exceeds the largest allowed size.', fix: 'Raise the limit.', full: true },
  EACCES: {
    why: 'This user does not have permission.',
    fix: 'Check the permissions of the folder.',
  },
  EPERM: {
    why: 'The system does not allow it.',
    fix: 'Check the permissions of the folder. On Windows, also close programs that have the file open, such as Excel.',
  },
  EROFS: { why: 'The file system is read-only.', fix: 'Choose another folder.' },
  ENOTDIR: { why: 'A part of the path is not a folder.', fix: 'Check the path.' },
  EEXIST: { why: 'The name is already in use.', fix: 'Check the path.' },
  EISDIR: { why: 'It is a folder.', fix: 'Name a file.' },
  ENAMETOOLONG: { why: 'The name is too long.', fix: 'Choose a shorter one.' },
  ENOENT: {
    why: 'It does not exist. If it did before, another program removed it, such as a cleaning job.',
    fix: 'Let no other program remove files there, and run the command again.',
    fault: true,
  },
  EBUSY: {
    why: 'Another program uses it, or a file system is mounted there.',
    fix: 'Close that program or unmount it, and run the command again.',
    fault: true,
  },
  EIO: { why: 'The disk reported an error.', fix: 'Check it, and run it again.', fault: true },
  EADDRINUSE: { why: 'Another program uses it.', fix: 'Choose another port.' },
  ELOOP: { why: 'It is a symbolic link.', fix: 'Name the file itself.' },
};

/** The system's code of an error. Node renames some codes. */
const codeOf = (error: unknown): string =>
  String((error as NodeJS.ErrnoException | null)?.code).replace(/^ERR_FS_/, '');

/** Reasons why the system refuses another open file or connection, by code. */
const OPEN_FILES: Readonly<Record<string, string>> = {
  EMFILE: 'The limit of open files and connections of this process is reached (EMFILE).',
  ENFILE: 'The limit of open files of the whole machine is reached (ENFILE).',
};

/** The error for a limit of open files, if that is the cause of an error. Otherwise undefined. */
function explainOpenFiles(error: unknown): MachineError | undefined {
  if (error instanceof MachineError) return error;
  if (!(error instanceof Error)) return undefined;
  // Node's loader of modules has different codes.
  const isLoader = /too many open files/i.test(error.message);
  const why = OPEN_FILES[isLoader ? 'EMFILE' : codeOf(error)];
  if (why === undefined) {
    const causes = error instanceof AggregateError ? error.errors : [error.cause];
    return causes.map(explainOpenFiles).find(Boolean);
  }
  return new MachineError({
    code: 'open-files',
    what: 'This machine does not allow the program to open enough files.',
    why,
    fix: 'Raise the limit (ulimit -n 4096), or end other programs, and run the command again.',
    cause: error,
  });
}

/** @throws {MachineError} the cause of the error is a limit of open files. */
export function refuseOpenFiles(error: unknown): void {
  const limit = explainOpenFiles(error);
  if (limit) throw limit;
}

/** Explains a fault of the file system, or a port in use. Undefined for other errors. */
export function explainSystemError(error: unknown): AppError | undefined {
  const limit = explainOpenFiles(error);
  if (limit) return limit;
  if (error instanceof AppError || !(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const reason = REASONS[code];
  if (!reason) return undefined;
  // Of a copy, either file can be the cause.
  const { path: place, dest, port } = error as NodeJS.ErrnoException & Record<string, string>;
  const name = place ?? (port === undefined ? 'A file' : `Port ${port}`);
  const details = {
    code: `file-${code.toLowerCase()}`,
    what: `${[name, dest].filter(Boolean).join(' or ')} could not be used.`,
    why: reason.why,
    fix: reason.fix,
    cause: error,
  };
  return reason.full || reason.fault ? new GateError(details) : new ConfigError(details);
}

/** The reason why a path cannot be used, as a sentence. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const { path: place } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'ENOENT' && place !== undefined) return `${place} does not exist.`;
  return REASONS[code]?.why ?? (error instanceof Error ? error.message : String(error));
}

/** Free space on the disk of a folder, or of its nearest existing parent. */
export function freeSpaceOf(folder: string): { folder: string; bytes: number; files: number } {
  let existing = path.resolve(folder);
  while (!existsSync(existing)) existing = path.dirname(existing);
  const { bavail, bsize, ffree, files } = statfsSync(existing);
  return { folder, bytes: bavail * bsize, files: files > 0 ? ffree : Number.POSITIVE_INFINITY };
}

/**
 * Error about a full disk: the folder, the free space and the needed space.
 *
 * @param folders the folders that are written to. The system's error seldom names the folder.
 * @param neededBytes approximate bytes, if known.
 * @returns undefined if the error has another cause.
 */
export function explainFullDisk(
  error: unknown,
  folders: readonly string[],
  neededBytes: number | undefined,
): AppError | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  const reason = REASONS[codeOf(cause)];
  if (!reason?.full) return undefined;
  // For a copy, `path` is the source and `dest` the file that could not be written.
  const { path: from, dest } = cause as NodeJS.ErrnoException & { dest?: string };
  const place = dest ?? from;
  const [smallest] = (place === undefined ? folders : [path.dirname(place)])
    .map(freeSpaceOf)
    .sort((a, b) => a.bytes - b.bytes);
  const { bytes = 0, files } = smallest ?? {};
  const free = files === 0 ? 'No more files can be made' : `${bytesText(bytes)} are free`;
  // The estimate can be too low, and unfinished files were removed meanwhile.
  const isShort = neededBytes !== undefined && neededBytes > bytes;
  const need = isShort ? `about ${bytesText(neededBytes)} are needed` : 'but more is needed';
  return new GateError({
    code: 'disk-full',
    what: `The disk is full: ${smallest?.folder ?? 'a folder'}.`,
    why: `${reason.why} ${free}, ${need}.`,
    fix: 'Free some space, or choose a folder on another disk, and run it again. The published site is unchanged.',
    cause: error,
  });
}
