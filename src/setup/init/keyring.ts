import { Secret } from '../../config/secret.ts';
import type { AppError } from '../../errors.ts';
import { keyFault } from '../doctor/keys.ts';
import type { Asker } from './ask.ts';

type Kind = 'media' | 'batch';

/** The keys that a person gives, each asked for when it is first needed. */
export class Keyring {
  readonly keys = new Map<string, Secret>();
  readonly #ask: Asker;
  readonly #present: (name: string) => Secret | undefined;

  /** @param present finds a key that is set already. */
  constructor(ask: Asker, present: (name: string) => Secret | undefined) {
    this.#ask = ask;
    this.#present = present;
  }

  /** The key in a variable. */
  async of(name: string, kind: Kind): Promise<Secret> {
    const given = this.keys.get(name);
    if (given) return given;
    const known = this.#present(name);
    if (known && keyFault(known, kind) === undefined) {
      if (await this.#ask.confirm(`${name} is set already. Use it?`)) {
        this.keys.set(name, known);
        return known;
      }
    }
    return this.again(name, kind);
  }

  /** Another key for a variable. */
  async again(name: string, kind: Kind): Promise<Secret> {
    const key = await this.#ask.secret(`API key for ${name} (it is not shown)`, (text) => {
      const fault = keyFault(new Secret(text), kind);
      return fault && `The key ${fault}.`;
    });
    this.keys.set(name, key);
    return key;
  }
}

/** What can be done about a question that the service did not answer. */
export interface Remedy {
  label: string;
  apply(): Promise<void>;
}

/**
 * Asks the service until it answers, or until the person goes on without an answer.
 *
 * @param look asks it; gives why there was no answer.
 */
export async function untilAnswered(
  ask: Asker,
  look: () => Promise<AppError | undefined>,
  remedies: Readonly<Record<string, Remedy>>,
): Promise<void> {
  for (;;) {
    ask.say('Asking the service …');
    const problem = await look();
    if (!problem) return;
    const { message, why } = problem;
    ask.say(`${message}${why ? ` ${why}` : ''}`);
    const chosen = await ask.choose('What now?', [
      ...Object.entries(remedies).map(([value, { label }]) => ({ value, label })),
      { value: 'on', label: 'Go on as it is', hint: 'nothing can be built until it is right' },
    ]);
    if (chosen === 'on') return;
    await remedies[chosen]?.apply();
  }
}
