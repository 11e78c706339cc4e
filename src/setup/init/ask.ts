import type { Readable, Writable } from 'node:stream';
import * as prompts from '@clack/prompts';
import { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';

/** Returns the problem of an answer as a sentence. Undefined if there is none. */
type Check = (text: string) => string | undefined;

/** Asks questions in a terminal. Each function throws a {@link ConfigError} if the user cancels. */
export function createAsker(streams: { input?: Readable; output?: Writable } = {}) {
  const unlessCancelled = <T>(answer: T): Exclude<T, symbol> => {
    if (!prompts.isCancel(answer)) return answer as Exclude<T, symbol>;
    throw new ConfigError({
      code: 'init-cancelled',
      what: 'Nothing was written: the questions were cancelled.',
      fix: 'Run it again when you are ready.',
    });
  };
  return {
    text: async (
      message: string,
      { initial, example, check }: { initial?: string; example?: string; check?: Check } = {},
    ): Promise<string> => {
      const answer = await prompts.text({
        ...streams,
        message,
        initialValue: initial,
        placeholder: example,
        validate: (text) => check?.((text ?? '').trim()),
      });
      return (unlessCancelled(answer) ?? '').trim();
    },
    /** Does not show the answer. */
    secret: async (message: string, check?: Check): Promise<Secret> => {
      const answer = await prompts.password({
        ...streams,
        message,
        validate: (text) => check?.((text ?? '').trim()),
      });
      return new Secret((unlessCancelled(answer) ?? '').trim());
    },
    choose: async <T extends string>(
      message: string,
      options: { value: T; label: string; hint?: string }[],
      initial?: T,
    ): Promise<T> =>
      unlessCancelled(
        await prompts.select<string>({ ...streams, message, options, initialValue: initial }),
      ) as never,
    confirm: async (message: string, initial = true): Promise<boolean> =>
      unlessCancelled(await prompts.confirm({ ...streams, message, initialValue: initial })),
    say: (text: string): void => prompts.log.message(text, streams),
  };
}

export type Asker = ReturnType<typeof createAsker>;
