import { hostOf } from '../../config/hosts.ts';
import { ConfigError } from '../../errors.ts';

/**
 * Output of a build. `whole`: the site as a folder. `thin`: a change set, which is the full file list plus the
 * bytes that are missing on the published site (see `change-set/change-set.ts`).
 */
export type OutputForm = 'thin' | 'whole';

export interface FormRequest {
  /** Value of `DEPLOY_TO`. */
  deployTo: string | undefined;
  /** Only in CI does the target decide. Otherwise a user looks at the build, so it is a whole site. */
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
 * Chooses the output form of a build: by flags, otherwise by the target.
 *
 * @throws {ConfigError} the flags ask for both forms.
 */
export function chooseForm(request: FormRequest): ChosenForm {
  const { deployTo, inCi, whole, thin } = request;
  if (whole && thin) {
    throw new ConfigError({
      code: 'argument-form',
      what: '--whole and --thin exclude each other.',
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
