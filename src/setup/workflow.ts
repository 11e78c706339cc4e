import { createHash } from 'node:crypto';
import { DEPLOY_SETTINGS } from '../config/deploy-settings.ts';
import { hostOf } from '../config/hosts.ts';
import { commandLine, installLines, type Project } from './project.ts';
import { fill } from './templates.ts';

/** The file that each CI reads from a project. */
export const WORKFLOWS = {
  github: '.github/workflows/rebuild.yml',
  gitlab: '.gitlab-ci.yml',
} as const;

export type WithWorkflow = keyof typeof WORKFLOWS;

/** Shell lines as a value in YAML: one line as it is, several as a block. */
const block = ([first, ...others]: readonly string[], spaces: number): string =>
  others.length === 0 ? `${first}` : ['|', first, ...others].join(`\n${' '.repeat(spaces)}`);

/** Lines of `env` with secrets or variables of a repository on GitHub. */
const valuesFrom = (context: 'secrets' | 'vars', names: readonly string[]): string[] =>
  names.map((name) => `${name}: \${{ ${context}.${name} }}`);

/** Shell line that deploys a folder to Cloudflare Pages, with Cloudflare's tool. */
const wrangler = (folder: string): string =>
  `npx --yes wrangler@4.164.0 pages deploy ${folder} --project-name "$CLOUDFLARE_PROJECT" --branch main`;

/** When a site is rebuilt: between three and four in the morning UTC, each at its own minute. */
export const minuteOf = (url: string): number =>
  (createHash('sha256').update(url).digest()[0] ?? 0) % 60;

/** The host that a workflow deploys to: the value of `DEPLOY_TO` in its text. */
export const hostIn = (text: string): string | undefined => /^ +DEPLOY_TO: (\S+)/m.exec(text)?.[1];

/** A site, as far as its workflow depends on it. */
export interface WorkflowSite {
  site: { url: string };
  dealers: readonly { apiKeyEnv: string; stock?: { credentialsEnv?: string } | undefined }[];
  /** An id of `hosts.ts`, or `none`. */
  host: string;
}

/** Values for the workflows of one site and of many sites. */
function valuesFor({ site: { url }, dealers, host }: WorkflowSite, project: Project) {
  const { secrets, variables } = DEPLOY_SETTINGS[host] ?? { secrets: [], variables: [] };
  const names = dealers.flatMap(({ apiKeyEnv, stock }) => [apiKeyEnv, stock?.credentialsEnv ?? []]);
  const keys = [...new Set(names.flat())];
  const thin = hostOf(host)?.form === 'thin';
  return {
    host,
    thin,
    variables,
    block,
    wrangler,
    minute: minuteOf(url),
    // SITE_SECRET is optional. A secret that is not set is empty.
    keyLines: valuesFrom('secrets', [...keys, 'SITE_SECRET']),
    hostLines: [...valuesFrom('secrets', secrets), ...valuesFrom('vars', variables)],
    needed: [...keys, ...secrets],
    engines: project.engines,
    install: installLines(project),
    build: commandLine(project, 'build', '"$@"'),
    doctor: commandLine(project, 'doctor'),
  };
}

/** A project's workflow file, with the text that this version writes. */
export function workflowFor(
  ci: WithWorkflow,
  site: WorkflowSite,
  project: Project,
): { file: string; text: string } {
  const values = valuesFor(site, project);
  const { host } = site;
  const text = fill(`${ci}.yml`, {
    ...values,
    // Only its own CI deploys to a host's Pages.
    deploys: values.thin || host === 'cloudflare' || host === ci,
    deploy: commandLine(project, 'deploy', ci === 'github' ? '--folder site' : ''),
  });
  return { file: WORKFLOWS[ci], text };
}

/** The workflow on GitHub of a project with many sites. A repository has one site of GitHub Pages. */
export const SITES_WORKFLOW = '.github/workflows/sites.yml';

export function sitesWorkflow(site: WorkflowSite, project: Project): string {
  const values = valuesFor(site, project);
  const isPages = site.host === 'cloudflare';
  return fill('sites.yml', {
    ...values,
    deploys: values.thin || isPages,
    deploy: isPages ? wrangler('_site') : commandLine(project, 'deploy'),
  });
}
