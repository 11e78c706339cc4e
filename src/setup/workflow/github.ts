import { hostOf } from '../../config/hosts.ts';
import { laterJobs } from './github-deploys.ts';
import { ACTIONS, expression, installSteps, secretLines } from './github-steps.ts';
import { buildLines, commandLine, OWN_FILES_LINE } from './project.ts';
import { block, indented, type Wanted } from './text.ts';

const cacheStep = (name: string, uses: string, more: readonly string[]): string[] => [
  `- name: ${name}`,
  `  uses: ${uses}`,
  '  with:',
  '    path: .cache',
  `    key: media-${expression('github.run_id')}-${expression('github.run_attempt')}`,
  ...more,
];

/** Steps that hand the result of the build to the job that deploys it. */
function handOverSteps(host: string): string[] {
  if (host === 'github') {
    return [
      '- name: Hand over the site',
      `  uses: ${ACTIONS.uploadPages}`,
      '  with:',
      '    path: _site',
      '    retention-days: 1',
    ];
  }
  const thin = hostOf(host)?.form === 'thin';
  const pack = [
    'folder=_changes',
    'if [ "$WHOLE" = true ]; then folder=_site; fi',
    'tar -cf site.tar -C "$folder" .',
  ];
  return [
    '# One file moves faster than thousands, and an artifact takes no file name as it is.',
    '- name: Pack',
    ...indented(2, block('run: ', thin ? pack : ['tar -cf site.tar -C _site .'])),
    '- name: Hand over the site',
    `  uses: ${ACTIONS.upload}`,
    '  with:',
    '    name: site',
    '    path: site.tar',
    '    if-no-files-found: error',
    '    compression-level: 1',
    '    overwrite: true',
    `    retention-days: ${host === 'none' ? 7 : 1}`,
  ];
}

function buildJob({ keys, host, project }: Wanted): string[] {
  const thin = hostOf(host)?.form === 'thin';
  // SITE_SECRET is optional. A secret that is not set is empty.
  const env = ['  env:', ...indented(4, secretLines([...keys, 'SITE_SECRET']))];
  return [
    'runs-on: ubuntu-latest',
    'timeout-minutes: 120',
    'permissions:',
    '  contents: read',
    'outputs:',
    `  code: ${expression('steps.build.outputs.code')}`,
    'steps:',
    ...indented(2, [
      ...installSteps(project),
      ...(thin
        ? []
        : [
            '# Only saves time: the build takes missing pictures from the published site.',
            ...cacheStep('Restore pictures', ACTIONS.restoreCache, ['    restore-keys: media-']),
          ]),
      '# Exit code 8: the site can be published, but something needs a decision. The job "attention"',
      '# reports it after the deploy.',
      '- name: Build',
      '  id: build',
      ...indented(
        2,
        block('run: ', [
          ...buildLines(project, '[ "$WHOLE" = true ]'),
          'echo "code=$code" >> "$GITHUB_OUTPUT"',
          'if [ "$code" -ne 8 ]; then exit "$code"; fi',
        ]),
      ),
      ...env,
      `    ACCEPT_LOSS: ${expression('inputs.accept-loss')}`,
      '- name: Explain the failure',
      '  if: failure()',
      `  run: ${commandLine(project, 'doctor')}`,
      ...env,
      ...(thin
        ? []
        : [
            '# Also after a failure: finished pictures are not made again.',
            ...cacheStep('Save pictures', ACTIONS.saveCache, []).toSpliced(1, 0, '  if: always()'),
          ]),
      '- name: Save the report',
      '  if: always()',
      `  uses: ${ACTIONS.upload}`,
      '  with:',
      '    name: build-report',
      '    path: build-report.json',
      '    if-no-files-found: ignore',
      '    overwrite: true',
      '    retention-days: 30',
      '# The variable OWN_FILES names a folder of the project, such as static.',
      '- name: Add your own files',
      "  if: vars.OWN_FILES != ''",
      `  run: ${OWN_FILES_LINE}`,
      '  env:',
      `    OWN_FILES: ${expression('vars.OWN_FILES')}`,
      ...handOverSteps(host),
    ]),
  ];
}

const COMMENTS: Readonly<Record<string, string>> = {
  deploy: 'A separate job: it has the secrets of the host, and not the key of the service.',
  again: 'Starts this workflow again for the whole site.',
  attention: 'Fails, so that GitHub sends mail.',
};

/** A workflow of GitHub Actions that calls nothing but pinned actions and the project's scripts. */
export function githubWorkflow(wanted: Wanted): string[] {
  const { host, minute } = wanted;
  return [
    '# Rebuilds the site every night and deploys it. "init" wrote this file, and it is yours to edit.',
    '# docs/hosting.md explains every part.',
    'name: Rebuild the site',
    '',
    'on:',
    '  schedule:',
    `    - cron: "${minute} 3 * * *"`,
    '  workflow_dispatch:',
    '    inputs:',
    '      whole:',
    '        description: Make the whole site, not only the changes',
    '        type: boolean',
    '        default: false',
    '      accept-loss:',
    '        description: Losses to accept, as the report of the last build names them, such as 7001@1f3a9c',
    '        type: string',
    '        default: ""',
    '  repository_dispatch:',
    '    types: [rebuild]',
    '',
    '# One rebuild at a time. Of later ones the newest waits: a deploy is never interrupted.',
    'concurrency:',
    '  group: rebuild',
    '  cancel-in-progress: false',
    '',
    '# Each job is granted what it needs, and nothing more.',
    'permissions: {}',
    '',
    'env:',
    `  DEPLOY_TO: ${host}`,
    `  WHOLE: ${expression('inputs.whole')}`,
    '',
    'jobs:',
    '  build:',
    ...indented(4, buildJob(wanted)),
    ...Object.entries(laterJobs(wanted)).flatMap(([name, lines]) => [
      '',
      `  # ${COMMENTS[name]}`,
      `  ${name}:`,
      ...indented(4, lines),
    ]),
  ];
}
