import { DEPLOY_SETTINGS } from '../../config/deploy-settings.ts';
import { hostOf } from '../../config/hosts.ts';
import { buildLines, commandLine, installLines, OWN_FILES_LINE, pagesLine } from './project.ts';
import { block, indented, type Wanted } from './text.ts';

/** An entry of `script`: several lines are one block, so that they run in one shell with their variables. */
const entry = (lines: readonly string[]): string[] => indented(2, block('- ', lines));

const deployHead = ['stage: deploy', 'needs: [build]', 'resource_group: rebuild'];
const WITHOUT_CLONE = ['variables:', '  GIT_STRATEGY: none'];

/** The job that deploys; none if the site is only built. */
function deployJob({ host, project }: Wanted): string[] {
  if (host === 'gitlab') {
    return [
      '# GitLab Pages publishes the folder public of the job with this name.',
      'pages:',
      ...indented(2, [
        ...deployHead,
        ...WITHOUT_CLONE,
        'script:',
        '  - mv _site public',
        'artifacts:',
        '  paths: [public/]',
        '  expire_in: 1 day',
      ]),
      '',
    ];
  }
  const lines =
    host === 'cloudflare'
      ? [...WITHOUT_CLONE, 'script:', ...entry([pagesLine('_site')])]
      : [
          'script:',
          ...entry(installLines(project)),
          '  # If it ends with deploy-content-lost, start a pipeline with WHOLE=1.',
          ...entry([commandLine(project, 'deploy')]),
        ];
  if (host !== 'cloudflare' && hostOf(host)?.form !== 'thin') return [];
  // A folder is on the server, so the job runs there.
  const runner = host === 'folder' ? ['tags: [self-hosted]'] : [];
  return ['deploy:', ...indented(2, [...deployHead, ...runner, ...lines]), ''];
}

/** A pipeline of GitLab CI that includes nothing. */
export function gitlabPipeline(wanted: Wanted): string[] {
  const { keys, host, project } = wanted;
  const { secrets, variables } = DEPLOY_SETTINGS[host] ?? { secrets: [], variables: [] };
  const thin = hostOf(host)?.form === 'thin';
  return [
    '# Rebuilds the site every night and deploys it. "init" wrote this file, and it is yours to edit.',
    '# docs/hosting.md explains every part.',
    '#',
    '# It needs a pipeline schedule, and CI/CD variables:',
    `#   masked: ${[...keys, ...secrets].join(', ')}; optional: SITE_SECRET`,
    ...(variables.length > 0 ? [`#   plain: ${variables.join(', ')}`] : []),
    '',
    'workflow:',
    '  name: Rebuild the site',
    '  rules:',
    '    - if: $CI_PIPELINE_SOURCE =~ /^(schedule|web|trigger|api|pipeline)$/',
    '',
    'stages: [build, deploy, attention]',
    '',
    'default:',
    '  image: node:24-bookworm-slim',
    '  interruptible: false',
    '',
    'variables:',
    `  DEPLOY_TO: ${host}`,
    '  WHOLE:',
    '    value: ""',
    '    description: 1 makes the whole site, not only the changes',
    '  ACCEPT_LOSS:',
    '    value: ""',
    '    description: Losses to accept, as the report of the last build names them, such as 7001@1f3a9c',
    '',
    'build:',
    ...indented(2, [
      'stage: build',
      '# One rebuild at a time: a deploy is never interrupted.',
      'resource_group: rebuild',
      'timeout: 2 hours',
      ...(thin
        ? []
        : [
            '# Only saves time: the build takes missing pictures from the published site.',
            'cache:',
            '  key: media',
            '  paths: [.cache/]',
            '  # Also after a failure: finished pictures are not made again.',
            '  when: always',
          ]),
      'script:',
      ...entry(installLines(project)),
      ...entry([...buildLines(project, '[ -n "$WHOLE" ]'), 'echo "BUILD_CODE=$code" > build.env']),
      '  # Exit code 8: the site can be published, but something needs a decision. The job "attention"',
      '  # reports it after the deploy.',
      ...entry([
        'if [ "$code" -ne 0 ] && [ "$code" -ne 8 ]; then',
        `  ${commandLine(project, 'doctor')} || true`,
        '  exit "$code"',
        'fi',
      ]),
      '  # The variable OWN_FILES names a folder of the project, such as static.',
      ...entry(['if [ -n "$OWN_FILES" ]; then', `  ${OWN_FILES_LINE}`, 'fi']),
      'artifacts:',
      '  when: always',
      `  paths: [${thin ? '_changes/, ' : ''}_site/, build-report.json]`,
      '  reports:',
      '    dotenv: build.env',
      '  expire_in: 1 day',
    ]),
    '',
    ...deployJob(wanted),
    '# Fails if something needs attention, so that GitLab sends mail. A rule cannot see the exit code of the',
    '# build, so this job always runs.',
    'attention:',
    ...indented(2, [
      'stage: attention',
      'dependencies: [build]',
      ...WITHOUT_CLONE,
      'script:',
      ...entry([
        'if [ "$BUILD_CODE" = 8 ]; then',
        '  echo "The site was built, but something needs your attention. The log of the job build explains what and why."',
        '  exit 8',
        'fi',
      ]),
    ]),
  ];
}
