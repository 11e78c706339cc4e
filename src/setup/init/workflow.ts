import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DEPLOY_SETTINGS } from '../../config/deploy-settings.ts';
import { OWN_VERSION, PACKAGE_ROOT } from '../../lib/own-package.ts';
import { type Answers, minuteOf } from './answers.ts';

/** Where each CI looks for its file. */
export const WORKFLOWS = {
  github: { file: '.github/workflows/rebuild.yml' },
  gitlab: { file: '.gitlab-ci.yml' },
} as const;

type WithWorkflow = keyof typeof WORKFLOWS;

/** Owner and name of this program's repository on GitHub, from its manifest. */
export function ownRepository(): string {
  const { repository } = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  const [, found] = /github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(repository.url) ?? [];
  if (found === undefined) throw new Error(`package.json: ${repository.url} is not on GitHub`);
  return found;
}

/** The tag that stands for a major version of this program, such as `v1`. */
export const majorTag = (version = OWN_VERSION): string => `v${version.split('.')[0]}`;

/** Address of the pipeline that projects on GitLab include. */
export const gitlabTemplate = (): string =>
  `https://raw.githubusercontent.com/${ownRepository()}/${majorTag()}/ci/gitlab.yml`;

/** Secrets of a host; those of all where none is chosen yet. */
function hostSecrets(host: string): string[] {
  if (host !== 'none') return [...(DEPLOY_SETTINGS[host]?.secrets ?? [])];
  return [...new Set(Object.values(DEPLOY_SETTINGS).flatMap(({ secrets }) => secrets))];
}

const secret = (name: string): string => `\${{ secrets.${name} }}`;

type Asked = Pick<Answers, 'dealers' | 'url' | 'host'>;

const github = ({ dealers, url, host }: Asked): string[] => [
  '# What it calls, its inputs, and what to add for another host: docs/hosting.md of the package.',
  'name: Rebuild the site',
  'on:',
  `  schedule: [{ cron: '${minuteOf(url)} 3 * * *' }]`,
  '  workflow_dispatch: { inputs: { whole: { type: boolean, description: Make the whole site } } }',
  '  repository_dispatch: { types: [rebuild] }',
  'permissions: { contents: read, actions: write, pages: write, id-token: write }',
  'jobs:',
  '  site:',
  `    uses: ${ownRepository()}/.github/workflows/site.yml@${majorTag()}`,
  '    with: { whole: "${{ inputs.whole == true }}" }',
  '    secrets:',
  ...hostSecrets(host).map((name) => `      ${name}: ${secret(name)}`),
  ...keysText([...new Set(dealers.map(({ apiKeyEnv }) => apiKeyEnv))]),
];

/** The keys as one secret, a line each: a called workflow knows its secrets by name, and not a dealer's. */
function keysText(names: readonly string[]): string[] {
  const lines = names.map((name) => `${name}=${secret(name)}`);
  return lines.length === 1
    ? [`      keys: ${lines[0]}`]
    : ['      keys: |', ...lines.map((line) => `        ${line}`)];
}

const gitlab = (): string[] => [
  '# Needs a schedule and CI/CD variables: docs/hosting.md of the package.',
  'include:',
  `  - remote: ${gitlabTemplate()}`,
];

/** A project's workflow file, and the text that it should have. */
export function workflowFor(ci: WithWorkflow, answers: Asked): { file: string; text: string } {
  const lines = ci === 'github' ? github(answers) : gitlab();
  return { file: WORKFLOWS[ci].file, text: `${lines.join('\n')}\n` };
}
