import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { deployTarget } from '../../config/environment.ts';
import { HOST_IDS } from '../../config/hosts.ts';
import { loadHistoryConfig } from '../../config/load.ts';
import { hostIn, WORKFLOWS } from '../workflow.ts';
import { type Answers, NO_ANSWERS } from './answers.ts';
import { CONFIG_FILE } from './config-file.ts';

const textOf = (root: string, file: string): Promise<string | undefined> =>
  readFile(path.join(root, file), 'utf8').catch(() => undefined);

/**
 * The answers that a project was set up with, as defaults. Undefined if it was not set up.
 *
 * @throws {ConfigError} its configuration cannot be read.
 */
export async function readExisting(
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<Answers | undefined> {
  if ((await textOf(root, CONFIG_FILE)) === undefined) return undefined;
  const config = await loadHistoryConfig({ file: path.join(root, CONFIG_FILE), env });
  const { title, url, locale, timeZone } = config.site ?? NO_ANSWERS.site;
  const gitlab = await textOf(root, WORKFLOWS.gitlab);
  const github = await textOf(root, WORKFLOWS.github);
  // Without .env, the workflow names the host.
  const host = deployTarget(env) ?? hostIn(gitlab ?? github ?? '') ?? 'none';
  return {
    service: { baseUrl: config.service.baseUrl, fieldNames: config.service.fieldNames },
    site: { title, url, locale, timeZone },
    dealers: config.dealers.map(({ id, name, slug, apiKeyEnv, contact }) => ({
      id,
      name,
      slug,
      apiKeyEnv,
      ...(contact?.phone !== undefined && { contact: { phone: contact.phone } }),
    })),
    // Each field is named, so that no key is among them.
    accounts: config.accounts.map(({ name, customerId, pathId, apiKeyEnv }) => ({
      name,
      customerId,
      pathId,
      apiKeyEnv,
    })),
    media: { hosts: [...config.media.hosts] },
    // A user may have chosen none, or deleted the workflow.
    ci: gitlab !== undefined ? 'gitlab' : github !== undefined ? 'github' : 'none',
    host: HOST_IDS.includes(host) ? host : 'none',
  };
}
