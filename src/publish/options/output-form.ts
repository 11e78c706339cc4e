import { hostOf } from '../../config/hosts.ts';
import { ConfigError } from '../../errors.ts';

/**
 * Output of a build. `whole`: the site as a folder. `thin`: a change set, which is the full file list plus the
 * bytes that are missing on the published site (see `change-set/change-set.ts`).
 */
export type OutputForm = 'thin' | 'whole';

interface FormRequest {
  /** Value of `DEPLOY_TO`. */
  deployTo: string | undefined;
  /** Only in CI does the target decide. Otherwise a user looks at the build, so it is a whole site. */
  inCi: boolean;
  whole: boolean;
  thin: boolean;
}

/**
 * Chooses the output form of a build: by flags, otherwise by the target.
 *
 * @returns with the reason, for the user, if there was something to choose.
 * @throws {ConfigError} the flags ask for both forms.
 */
export function chooseForm({ deployTo, inCi, whole, thin }: FormRequest): {
  form: OutputForm;
  why?: string;
} {
  if (whole && thin) {
    throw new ConfigError({
      code: 'argument-form',
      what: '--whole and --thin exclude each other.',
      why: 'A build writes either the full site or a change set.',
      fix: 'Pass one of them, or none: then DEPLOY_TO decides in CI, and other builds write the full site.',
    });
  }
  if (thin) return { form: 'thin' };
  if (whole || deployTo === undefined || hostOf(deployTo)?.form !== 'thin') {
    return { form: 'whole' };
  }
  if (inCi) {
    return {
      form: 'thin',
      why: `Writing a change set for ${deployTo}. --whole writes the full site.`,
    };
  }
  return {
    form: 'whole',
    why: `Writing the full site. In CI, a build writes a change set for ${deployTo}. --thin does the same here.`,
  };
}
