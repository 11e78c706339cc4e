import type { LoadedConfig } from '../../config/load.ts';
import { Secret } from '../../config/secret.ts';
import {
  AppError,
  ConfigError,
  type ErrorDetails,
  GateError,
  MachineError,
  RefusedError,
  SecretFoundError,
  UnreachableError,
} from '../../errors.ts';
import type { BuiltChunk } from './built-chunk.ts';

/** Data passed between processes of one build. Messages are structured clones, so objects lose their classes. */

const TYPES = {
  AppError,
  ConfigError,
  GateError,
  MachineError,
  RefusedError,
  SecretFoundError,
  UnreachableError,
};

/** An `AppError` as plain data. */
export interface WireError extends Omit<ErrorDetails, 'cause'> {
  type: keyof typeof TYPES;
  stack: string | undefined;
}

export function packError({ name, code, message, why, fix, stack }: AppError): WireError {
  const type = name in TYPES ? (name as keyof typeof TYPES) : 'AppError';
  return { type, code, what: message, ...(why && { why }), ...(fix && { fix }), stack };
}

export function unpackError({ type, stack, ...telling }: WireError): AppError {
  return Object.assign(new TYPES[type](telling), { stack });
}

/** A chunk with the problems of its dealers as plain data. */
export type WireChunk = Omit<BuiltChunk, 'outcomes'> & {
  outcomes: (Omit<BuiltChunk['outcomes'][number], 'problem'> & {
    problem: WireError | undefined;
  })[];
};

export const packChunk = ({ outcomes, ...chunk }: BuiltChunk): WireChunk => ({
  ...chunk,
  outcomes: outcomes.map((one) => ({ ...one, problem: one.problem && packError(one.problem) })),
});

export const unpackChunk = ({ outcomes, ...chunk }: WireChunk): BuiltChunk => ({
  ...chunk,
  outcomes: outcomes.map((one) => ({ ...one, problem: one.problem && unpackError(one.problem) })),
});

const replaced = <T extends { apiKey: unknown }, K>(
  list: readonly T[],
  change: (key: T['apiKey']) => K,
) => list.map((one) => ({ ...one, apiKey: change(one.apiKey) }));

type Keyed = LoadedConfig['dealers'] | LoadedConfig['accounts'];
type Plain<T extends Keyed> = (Omit<T[number], 'apiKey'> & { apiKey: string })[];

/** A configuration with its keys as plain text, sent only to worker processes of this build. */
export type WireConfig = Omit<LoadedConfig, 'dealers' | 'accounts'> & {
  dealers: Plain<LoadedConfig['dealers']>;
  accounts: Plain<LoadedConfig['accounts']>;
};

export const packConfig = (config: LoadedConfig): WireConfig => ({
  ...config,
  dealers: replaced(config.dealers, (key) => key.reveal()),
  accounts: replaced(config.accounts, (key) => key.reveal()),
});

export const unpackConfig = (config: WireConfig): LoadedConfig => ({
  ...config,
  dealers: replaced(config.dealers, (key) => new Secret(key)),
  accounts: replaced(config.accounts, (key) => new Secret(key)),
});
