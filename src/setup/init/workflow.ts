import { DEPLOY_SETTINGS } from '../../config/deploy-settings.ts';
import { gitlabTemplate, majorTag, ownRepository, WORKFLOWS } from '../called-workflows.ts';
import { type Answers, minuteOf } from './answers.ts';

type WithWorkflow = keyof typeof WORKFLOWS;

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
  `    with: { whole: '\${{ inputs.whole == true }}' }`,
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
