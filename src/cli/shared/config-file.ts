import path from 'node:path';
import { defaultCacheFolder, defaultConfigFile } from '../../config/environment.ts';
import type { Io } from '../../lib/command-line/definition.ts';

/** The configuration that a command reads: the one that `--config` names, or the usual one; absolute. */
export const configFile = (
  values: { config: string | undefined },
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
): string => values.config ?? path.resolve(cwd, defaultConfigFile(env));

/** The cache folder of a command: the one that `--cache` names, or the usual one; absolute. */
export const cacheFolder = (
  values: { cache: string | undefined },
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
): string => values.cache ?? path.resolve(cwd, defaultCacheFolder(env));
