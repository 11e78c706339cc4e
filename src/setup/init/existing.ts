import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { deployTarget } from '../../config/environment.ts';
import { HOST_IDS } from '../../config/hosts.ts';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
import { NEUTRAL_FIELD_NAMES } from '../../contract/field-names.ts';
import { ConfigError } from '../../errors.ts';
import { readTheme } from '../../render/theme/theme.ts';
import { LANGUAGES } from '../../site/i18n/index.ts';
import type { Catalogues } from '../../site/i18n/theme-words.ts';
import { hostIn, WORKFLOWS } from '../workflow/workflow.ts';
import type { Answers } from './answers.ts';
import { CONFIG_FILE } from './config-file.ts';

const textOf = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(() => undefined);

export interface Existing {
  /** What the project already says; undefined where nobody has set it up. */
  answers: Answers | undefined;
  /** Languages that its pages have words of; those that are shipped where its theme is wrong. */
  languages: Catalogues;
  /** Why its configuration cannot be read. */
  problem: ConfigError | undefined;
}

async function languagesOf(
  file: string,
  site: Pick<LoadedConfig['site'], 'theme'> = {},
): Promise<Catalogues> {
  try {
    return (await readTheme({ file, site: site as LoadedConfig['site'] })).languages;
  } catch {
    // The doctor says what is wrong with it.
    return LANGUAGES;
  }
}

/** The answers that a project was set up with, so that nobody has to give them again. */
export async function readExisting(root: string, env?: NodeJS.ProcessEnv): Promise<Existing> {
  const file = path.join(root, CONFIG_FILE);
  if ((await textOf(file)) === undefined) {
    return { answers: undefined, languages: await languagesOf(file), problem: undefined };
  }
  try {
    const { service, site, dealers, accounts, media } = await loadConfig({ file, env });
    const { hostedVideo, socialClicks, searchClicks } = service.fieldNames;
    const gitlab = await textOf(path.join(root, WORKFLOWS.gitlab.file));
    const workflow = gitlab ?? (await textOf(path.join(root, WORKFLOWS.github.file))) ?? '';
    // On a machine without .env the workflow names the host.
    const host = deployTarget(env) ?? hostIn(workflow);
    return {
      answers: {
        baseUrl: service.baseUrl,
        title: site.title,
        url: site.url,
        locale: site.locale,
        timeZone: site.timeZone,
        dealers: dealers.map(({ id, name, slug, apiKeyEnv, contact }) => ({
          ...{ id, name, slug, apiKeyEnv },
          ...(contact?.phone !== undefined && { phone: contact.phone }),
        })),
        accounts: accounts.map(({ name, customerId, pathId, apiKeyEnv }) => ({
          name,
          customerId,
          pathId,
          apiKeyEnv,
        })),
        pictureHosts: [...media.hosts],
        hostedVideo,
        clicks: {
          ...(socialClicks !== NEUTRAL_FIELD_NAMES.socialClicks && { socialClicks }),
          ...(searchClicks !== NEUTRAL_FIELD_NAMES.searchClicks && { searchClicks }),
        },
        ci: gitlab === undefined ? 'github' : 'gitlab',
        host: host !== undefined && HOST_IDS.includes(host) ? host : 'none',
      },
      languages: await languagesOf(file, site),
      problem: undefined,
    };
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    return { answers: undefined, languages: await languagesOf(file), problem };
  }
}
