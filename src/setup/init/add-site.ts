/** Adds a site to a project: its configuration, and the workflow for all sites. */
import { ConfigError } from '../../errors.ts';
import { readProject } from '../project.ts';
import { fill } from '../templates.ts';
import { workflowFor } from '../workflow.ts';
import { type Answers, answersFromFlags, type Flags } from './answers.ts';
import { CONFIG_FILE, dealerLines, quoted } from './config-file.ts';
import { extended, type PlannedFile, planFile } from './write.ts';

const addSiteError = (what: string, fix: string): ConfigError =>
  new ConfigError({ code: 'init-add-site', what: `Nothing was written: ${what}`, fix });

/**
 * Plans the files of an additional site.
 *
 * @param existing the answers that the project was set up with.
 * @throws {ConfigError} an answer is missing or wrong, or there is no base configuration.
 */
export async function planAddedSite(
  root: string,
  flags: Flags,
  existing: Answers | undefined,
): Promise<PlannedFile[]> {
  const { 'add-site': name = '', url, dealer: dealers = [] } = flags;
  if (!existing) {
    throw addSiteError(`there is no ${CONFIG_FILE}.`, 'Set up the project first: npm run init');
  }
  if (!/^[a-z0-9][a-z0-9-]{0,59}$/.test(name)) {
    throw addSiteError(
      'the name of the site may only contain lower-case letters, digits and hyphens.',
      'Write it like: --add-site northgate',
    );
  }
  if (url === undefined || dealers.length === 0) {
    throw addSiteError(
      'a site needs --url and --dealer.',
      `Write it like: --add-site ${name} --url https://cars.example --dealer "7001=Northgate Cars"`,
    );
  }
  // The new site does not inherit the title of the base configuration.
  const base = { ...existing, site: { ...existing.site, title: '' } };
  const answers = answersFromFlags(flags, base);
  const values = { ...answers.site, quoted, dealerLines: dealerLines(answers.dealers) };
  const config = await planFile(root, `sites/${name}.config.ts`, () =>
    fill('added-site.config.ts', values),
  );
  if (answers.ci !== 'github') return [config];
  const { file, text } = workflowFor('sites', answers, await readProject(root));
  return [config, await planFile(root, file, extended(text, answers.dealers))];
}
