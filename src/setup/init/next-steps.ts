import { DEPLOY_SETTINGS } from '../../config/deploy-settings.ts';
import { hostOf } from '../../config/hosts.ts';
import { SITE_SECRET_VARIABLE } from '../../config/site-secret.ts';
import type { PackageManager } from '../project.ts';
import { minuteOf } from '../workflow/workflow.ts';
import type { Answers } from './answers.ts';
import { FIRST_COMMIT, type Repository } from './repository.ts';

export interface Pushing {
  repository: Repository | undefined;
  /** Whether the remote is the person's own; undefined where nobody was asked. */
  own: boolean | undefined;
  /** Whether the repository was made just now, and all of it committed. */
  made?: 'empty' | 'committed' | undefined;
  /** Files that were written and belong into the repository; none if git ignores all of them. */
  files: readonly string[];
}

const NEW_REPOSITORY = {
  github: 'https://github.com/new',
  gitlab: 'https://gitlab.com/projects/new',
};

/** How the project comes into a repository of one's own. */
function pushLines(ci: 'github' | 'gitlab', { repository, own, made, files }: Pushing): string[] {
  const { remote, address } = repository ?? {};
  const add = repository && made === undefined ? `git add ${files.join(' ')}` : 'git add --all';
  const commit = made === 'committed' ? [] : [`    ${add}`, `    git commit -m "${FIRST_COMMIT}"`];
  const connect = [
    ...(repository ? [] : ['    git init --initial-branch main']),
    ...(remote === undefined ? [] : [`    git remote rename ${remote} upstream`]),
    '    git remote add origin ITS-ADDRESS',
  ];
  const push = '    git push --set-upstream origin HEAD:main';
  const make = `make an empty one (${NEW_REPOSITORY[ci]}), and with its address:`;
  if (own) return [...commit, '    git push'];
  if (address === undefined) {
    return [
      made
        ? `  The repository is on this machine alone. Where it is to be pushed to, ${make}`
        : `  The project needs a git repository of your own: ${make}`,
      ...connect,
      ...commit,
      push,
    ];
  }
  if (own === false) {
    return [`  git pushes to ${address}, which is not yours: ${make}`, ...connect, ...commit, push];
  }
  return [
    `  git pushes to ${address}. If that is a repository of your own:`,
    ...commit,
    '    git push',
    `  If it is not, ${make}`,
    ...connect,
    ...commit,
    push,
  ];
}

/** How a folder of one's own is filled every night, by the machine that it lies on. */
const folderLines = (url: string): string[] => [
  'Rebuilt every night, by cron on the machine that serves it (crontab -e):',
  `    ${minuteOf(url)} 3 * * * cd "$HOME/PROJECT" && npm run build -- --quiet && npm run deploy -- --quiet`,
  '  In .env: DEPLOY_FOLDER, of which the web server shows the folder current (docs/hosting.md).',
];

/**
 * What is left to do by hand, for the terminal.
 *
 * @param folder the project's, from where the person is; empty where that is the project.
 */
export function nextSteps(
  { ci, host, dealers, accounts, url }: Answers,
  pushing: Pushing,
  { manager = 'npm', folder = '' }: { manager?: PackageManager; folder?: string } = {},
): string[] {
  const keys = [...new Set(dealers.map(({ apiKeyEnv }) => apiKeyEnv))];
  const { secrets, variables } = DEPLOY_SETTINGS[host] ?? { secrets: [], variables: [] };
  const run = `${manager} run`;
  const thin = hostOf(host)?.form === 'thin';
  const steps = [
    [`${run} dev`, 'look at it on this machine'],
    [`${run} build`, 'make the site, in _site/'],
    thin
      ? [`${run} deploy`, `bring it to the host, once .env has what that needs`]
      : [`${run} preview`, 'look at what was made'],
    ...(accounts.length > 0
      ? [[`${run} batches ${manager === 'npm' ? '-- ' : ''}pull`, 'the history of sent videos']]
      : []),
  ];
  const width = Math.max(...steps.map(([line = '']) => line.length));
  const lines = [
    'Next:',
    ...(folder === '' ? [] : [`  cd ${folder}`]),
    ...steps.map(([line = '', what]) => `  ${line.padEnd(width)}  ${what}`),
  ];
  if (host === 'folder') return [...lines, '', ...folderLines(url)];
  if (ci === 'none') return lines;
  const { repository, made, files } = pushing;
  if (repository && made === undefined && files.length === 0) {
    return [
      ...lines,
      '',
      'git ignores these files in a clone of the program. For scheduled builds, make a project:',
      '  npm run new -- ../my-site',
    ];
  }
  const named = [...keys, SITE_SECRET_VARIABLE, ...secrets].join(', ');
  const where =
    ci === 'github'
      ? 'GitHub: Settings, Secrets and variables, Actions'
      : 'GitLab: Settings, CI/CD, Variables';
  lines.push(
    '',
    'Rebuilt every night:',
    ...pushLines(ci, pushing),
    `  ${where}:`,
    `    ${ci === 'github' ? 'secrets  ' : 'masked   '} ${named}`,
    ...(variables.length > 0 ? [`    variables ${variables.join(', ')}`] : []),
  );
  if (ci === 'gitlab') lines.push('  GitLab: Build, Pipeline schedules: one for every night');
  lines.push('  docs/hosting.md says where to get each of them.');
  return lines;
}

/** What to do where the doctor found an error: nothing that others would see. */
export const notReady = (manager: PackageManager): string[] => [
  `Not ready yet: put right what stands beside ERROR above, then: ${manager} run doctor`,
  `${manager} run init can be run again; what was written is offered as answers.`,
];
