import { DEPLOY_SETTINGS } from '../../config/deploy-settings.ts';
import { hostOf } from '../../config/hosts.ts';
import { ACTIONS, expression, installSteps, secretLines, setupNode } from './github-steps.ts';
import { commandLine, type Project, pagesLine } from './project.ts';
import { block, indented, type Wanted } from './text.ts';

const DOWNLOAD_STEPS = [
  `- uses: ${ACTIONS.download}`,
  '  with:',
  '    name: site',
  '- name: Unpack',
  '  run: mkdir site && tar -xf site.tar -C site',
];

/** Settings of the host, for the one step that deploys. */
function hostEnv(host: string): string[] {
  const { secrets, variables } = DEPLOY_SETTINGS[host] ?? { secrets: [], variables: [] };
  return [
    '  env:',
    ...indented(4, [
      ...secretLines(secrets),
      ...variables.map((name) => `${name}: ${expression(`vars.${name}`)}`),
    ]),
  ];
}

const GITHUB_PAGES_JOB = [
  'needs: build',
  'runs-on: ubuntu-latest',
  'timeout-minutes: 15',
  'permissions:',
  '  pages: write',
  '  id-token: write',
  'environment:',
  '  name: github-pages',
  `  url: ${expression('steps.deploy.outputs.page_url')}`,
  'steps:',
  '  - name: Deploy',
  '    id: deploy',
  `    uses: ${ACTIONS.deployPages}`,
];

const cloudflarePagesJob = (project: Project): string[] => [
  'needs: build',
  'runs-on: ubuntu-latest',
  'timeout-minutes: 30',
  'permissions: {}',
  'steps:',
  ...indented(2, [
    ...setupNode({ ...project, engines: false }),
    ...DOWNLOAD_STEPS,
    '- name: Deploy',
    `  run: ${pagesLine('site')}`,
    ...hostEnv('cloudflare'),
  ]),
];

const deployJob = (host: string, project: Project): string[] => [
  'needs: build',
  // A folder is on the server, so the job runs there.
  `runs-on: ${host === 'folder' ? 'self-hosted' : 'ubuntu-latest'}`,
  'timeout-minutes: 60',
  'permissions:',
  '  contents: read',
  'outputs:',
  `  lost: ${expression('steps.deploy.outputs.lost')}`,
  'steps:',
  ...indented(2, [
    ...installSteps(project),
    ...DOWNLOAD_STEPS,
    '# lost.json lists files that are missing on the host and on this machine. Nothing was replaced; the',
    '# job "again" starts a whole build, once.',
    '- name: Deploy',
    '  id: deploy',
    ...indented(
      2,
      block('run: ', [
        'code=0',
        `${commandLine(project, 'deploy', '--folder site')} || code=$?`,
        'if [ -f lost.json ] && [ "$WHOLE" != true ]; then',
        '  echo "lost=true" >> "$GITHUB_OUTPUT"',
        '  exit 0',
        'fi',
        'exit "$code"',
      ]),
    ),
    ...hostEnv(host),
  ]),
];

const AGAIN_JOB = [
  "if: needs.deploy.outputs.lost == 'true'",
  'needs: deploy',
  'runs-on: ubuntu-latest',
  'timeout-minutes: 5',
  'permissions:',
  '  actions: write',
  'steps:',
  '  - name: Start a whole build',
  '    run: gh workflow run "$GITHUB_WORKFLOW" --repo "$GITHUB_REPOSITORY" --ref "$GITHUB_REF_NAME" -f whole=true -f "accept-loss=$ACCEPT_LOSS"',
  '    env:',
  `      ACCEPT_LOSS: ${expression('inputs.accept-loss')}`,
  `      GH_TOKEN: ${expression('github.token')}`,
];

const attentionJob = (needs: readonly string[], also: string): string[] => [
  `if: ${expression(`!failure() && !cancelled() && needs.build.outputs.code == '8'${also}`)}`,
  `needs: [${needs.join(', ')}]`,
  'runs-on: ubuntu-latest',
  'timeout-minutes: 5',
  'permissions: {}',
  'steps:',
  '  - name: Report what needs attention',
  '    run: |',
  '      echo "::error::The site was built, but something needs your attention. The summary of this run explains what and why."',
  '      exit 8',
];

/** Deploys and what follows them, in their order. */
export function laterJobs({ host, project }: Wanted): Record<string, string[]> {
  const attention = (...needs: string[]) => attentionJob(needs, '');
  if (host === 'github')
    return { deploy: GITHUB_PAGES_JOB, attention: attention('build', 'deploy') };
  if (host === 'cloudflare') {
    return { deploy: cloudflarePagesJob(project), attention: attention('build', 'deploy') };
  }
  if (hostOf(host)?.form !== 'thin') return { attention: attention('build') };
  return {
    deploy: deployJob(host, project),
    again: AGAIN_JOB,
    attention: attentionJob(['build', 'deploy'], " && needs.deploy.outputs.lost != 'true'"),
  };
}
