import { createHash } from 'node:crypto';
import { hostOf } from '../config/hosts.ts';
import { commandLine, installLines, type Project } from './project.ts';
import { fill } from './templates.ts';

/** The workflow file of each CI, and of a project with many sites on GitHub. */
export const WORKFLOWS = {
  github: '.github/workflows/rebuild.yml',
  gitlab: '.gitlab-ci.yml',
  sites: '.github/workflows/sites.yml',
} as const;

/** Shell lines as a value in YAML: a plain value, or a block if there are several lines. */
const block = (lines: readonly string[], spaces: number): string =>
  lines.length === 1 ? `${lines[0]}` : ['|', ...lines].join(`\n${' '.repeat(spaces)}`);

/** Lines of `env` with secrets or variables of a GitHub repository. */
const valuesFrom = (context: 'secrets' | 'vars', names: readonly string[]): string[] =>
  names.map((name) => `${name}: \${{ ${context}.${name} }}`);

/** A shell line that deploys a folder to Cloudflare Pages with Wrangler. */
const wrangler = (folder: string): string =>
  `npx --yes wrangler@4.164.0 pages deploy ${folder} --project-name "$CLOUDFLARE_PROJECT" --branch main`;

/**
 * The minute after 03:00 UTC at which a site is rebuilt. It depends on the URL of the site. Never 0, because CI services
 * are busy at full hours.
 */
export const minuteOf = (url: string): number =>
  1 + ((createHash('sha256').update(url).digest()[0] ?? 0) % 59);

/** The host that a workflow deploys to: the value of `DEPLOY_TO`. */
export const hostIn = (text: string): string | undefined => /^ +DEPLOY_TO: (\S+)/m.exec(text)?.[1];

/** The properties of a site that its workflow depends on. */
interface WorkflowSite {
  site: { url: string };
  dealers: readonly { apiKeyEnv: string; stock?: { credentialsEnv?: string } }[];
  /** An id of `hosts.ts`, or `none`. */
  host: string;
}

/** A workflow that the user may have edited, with missing keys of the service. */
export function withKeys(text: string, dealers: WorkflowSite['dealers']): string {
  const keys = dealers.map(({ apiKeyEnv }) => apiKeyEnv);
  const missing = new Set(keys.filter((name) => !text.includes(` ${name}: `)));
  const lines = [...valuesFrom('secrets', [...missing]), ''];
  return text.replace(/\r?\n +(?=SITE_SECRET: \$)/g, (start) =>
    lines.map((line) => start + line).join(''),
  );
}

/** The workflow file that this version writes. */
export function workflowFor(
  name: keyof typeof WORKFLOWS,
  { site: { url }, dealers, host }: WorkflowSite,
  project: Project,
): { file: string; text: string } {
  const { secrets = [], variables = [], form } = hostOf(host) ?? {};
  const names = dealers.flatMap(({ apiKeyEnv, stock }) => [apiKeyEnv, stock?.credentialsEnv ?? []]);
  const keys = [...new Set(names.flat())];
  const thin = form === 'thin';
  const config = name === 'sites' ? '--config "sites/$SITE.config.ts"' : '';
  const text = fill(`${name}.yml`, {
    host,
    thin,
    variables,
    block,
    wrangler,
    minute: minuteOf(url),
    // SITE_SECRET is optional. Unset secrets are empty.
    keyLines: valuesFrom('secrets', [...keys, 'SITE_SECRET']),
    hostLines: [...valuesFrom('secrets', secrets), ...valuesFrom('vars', variables)],
    needed: [...keys, ...secrets],
    engines: project.engines,
    install: installLines(project),
    build: commandLine(project, 'build', '"$@"'),
    doctor: commandLine(project, 'doctor', config),
    // GitHub Pages and GitLab Pages can only be deployed to by their own CI, and only one site of a repository.
    deploys: thin || host === 'cloudflare' || host === name,
    deploy: commandLine(project, 'deploy', name === 'github' ? '--folder site' : ''),
  });
  return { file: WORKFLOWS[name], text };
}
