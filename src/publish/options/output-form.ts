import { hostOf } from '../../config/hosts.ts';
import { ConfigError } from '../../errors.ts';

/**
 * What a build writes: `whole`, the site as a folder; `thin`, a change set: the whole site as a list,
 * and the bytes that the published site lacks (see `change-set/change-set.ts`).
 */
export type OutputForm = 'thin' | 'whole';

export interface FormRequest {
  /** Value of `DEPLOY_TO`. */
  deployTo: string | undefined;
  /** Only in CI the target decides; outside CI people look at the build, so it is a whole site. */
  inCi: boolean;
  whole: boolean;
  thin: boolean;
}

export interface ChosenForm {
  form: OutputForm;
  /** The reason, for the user. Undefined if there was nothing to choose. */
  why: string | undefined;
}

/**
 * Chooses what a build writes. Flags decide, else the target.
 *
 * @throws {ConfigError} the flags ask for both forms.
 */
export function chooseForm(request: FormRequest): ChosenForm {
  const { deployTo, inCi, whole, thin } = request;
  if (whole && thin) {
    throw new ConfigError({
      code: 'argument-form',
      what: '--whole and --thin ask for two different things.',
      why: 'A build writes either the full site or a change set.',
      fix: 'Pass one of them, or none: then DEPLOY_TO decides in CI, and other builds write the full site.',
    });
  }
  if (thin) return { form: 'thin', why: undefined };
  if (whole || deployTo === undefined || hostOf(deployTo)?.form !== 'thin') {
    return { form: 'whole', why: undefined };
  }
  if (!inCi) {
    return {
      form: 'whole',
      why: `Writing the full site. In CI, a build writes a change set for ${deployTo}. --thin does the same here.`,
    };
  }
  return {
    form: 'thin',
    why: `Writing a change set for ${deployTo}. --whole writes the full site.`,
  };
}
