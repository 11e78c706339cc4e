import { AppError, ConfigError } from '../../errors.ts';

const REASONS: Readonly<Record<string, { why: string; fix: string; full?: true }>> = {
  ENOSPC: { why: 'The disk is full.', fix: 'Make room and run the command again.', full: true },
  EDQUOT: { why: 'The disk quota is used up.', fix: 'Make room and run it again.', full: true },
  EACCES: { why: 'This user has no right to do that.', fix: 'Check the rights of the folder.' },
  EPERM: { why: 'The system does not allow it.', fix: 'Check the rights of the folder.' },
  EROFS: { why: 'The file system can only be read.', fix: 'Choose another folder.' },
  ENOENT: { why: 'Its folder cannot be made there.', fix: 'Choose another folder.' },
  ENOTDIR: { why: 'A part of the path is no folder.', fix: 'Check the path.' },
  EISDIR: { why: 'It is a folder.', fix: 'Name a file.' },
  ENAMETOOLONG: { why: 'The name is too long.', fix: 'Choose a shorter one.' },
  ELOOP: { why: 'It is a symbolic link.', fix: 'Name the file itself.' },
};

/** A fault of the file system in words; undefined for anything else. */
export function tellSystem(error: unknown): AppError | undefined {
  if (error instanceof AppError || !(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : REASONS[code];
  if (!reason) return undefined;
  const telling = {
    code: `file-${code?.toLowerCase()}`,
    what: `${path ?? 'A file'} could not be used.`,
    why: reason.why,
    fix: reason.fix,
    cause: error,
  };
  return reason.full ? new AppError(telling) : new ConfigError(telling);
}
