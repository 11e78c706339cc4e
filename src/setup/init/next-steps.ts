import { DEPLOY_SETTINGS } from '../../config/deploy-settings.ts';
import { SITE_SECRET_VARIABLE } from '../../config/environment.ts';
import { hostOf } from '../../config/hosts.ts';
import { inColumns, type PackageManager, scriptLines } from '../project.ts';
import { minuteOf } from '../workflow.ts';
import { type Answers, hasSite } from './answers.ts';
import { FIRST_COMMIT, type Repository } from './repository.ts';

export interface Pushing {
  repository: Repository | undefined;
  /** Set if init created the repository, with or without a first commit. */
  made?: 'empty' | 'committed';
  /** Written files that git does not ignore. */
  files: readonly string[];
}

/** Texts that differ between the CIs. */
const CI_TEXTS = {
  github: {
    newRepository: 'https://github.com/new',
    settings: 'GitHub: Settings, Secrets and variables, Actions',
    secrets: 'secrets  ',
    more: [],
  },
  gitlab: {
    newRepository: 'https://gitlab.com/projects/new',
    settings: 'GitLab: Settings, CI/CD, Variables',
    secrets: 'masked   ',
    more: ['  GitLab: Build, Pipeline schedules: add one for every night'],
  },
};

/** Explains how to push the project to a repository with a CI. */
function pushLines(newRepository: string, { repository, made, files }: Pushing): string[] {
  const add = repository && made === undefined ? `git add ${files.join(' ')}` : 'git add --all';
  const commit = made === 'committed' ? [] : [`    ${add}`, `    git commit -m "${FIRST_COMMIT}"`];
  if (repository?.address !== undefined) {
    return [`  git pushes to ${repository.address}:`, ...commit, '    git push'];
  }
  return [
    `  Push the project to your own git repository. Create an empty one (${newRepository}). Then, with its address:`,
    ...(repository ? [] : ['    git init --initial-branch main']),
    '    git remote add origin ITS-ADDRESS',
    ...commit,
    '    git push --set-upstream origin HEAD:main',
  ];
}

/** Explains how a machine updates its folder every night. */
const folderLines = (url: string): string[] => [
  'Rebuilt every night, by cron on the machine that serves it (crontab -e):',
  `    ${minuteOf(url)} 3 * * * cd "$HOME/PROJECT" && npm run build -- --quiet && npm run deploy -- --quiet`,
  '  In .env: DEPLOY_FOLDER. The web server shows its folder current (docs/hosting.md).',
];

/** Indented commands with their purposes. */
const commandLines = (commands: Parameters<typeof inColumns>[0]): string[] =>
  inColumns(commands, '  ').map((line) => `  ${line}`);

/** The steps of a project without a site. */
const historyLines = (run: string, minute: number): string[] => [
  ...commandLines([
    [`${run} pull`, 'fetch the history of sent videos'],
    [`${run} status`, 'show the number of batches of each account'],
  ]),
  '',
  'Fetch it every night, by cron (crontab -e):',
  `    ${minute} 3 * * * cd "$HOME/PROJECT" && ${run} pull --quiet`,
  '  docs/crm.md explains the import into your CRM, and docs/batches.md all commands.',
];

/**
 * The next steps of the user, as text for the terminal.
 *
 * @param folder path of the project, relative to the working folder. Empty if they are the same.
 */
export function nextSteps(
  { ci, host, dealers, accounts, site, service }: Answers,
  pushing: Pushing,
  { manager = 'npm', folder = '' }: { manager?: PackageManager; folder?: string } = {},
): string[] {
  const { secrets, variables } = DEPLOY_SETTINGS[host] ?? { secrets: [], variables: [] };
  const { run, batches } = scriptLines(manager);
  const start = ['Next:', ...(folder === '' ? [] : [`  cd ${folder}`])];
  if (!hasSite({ dealers })) return [...start, ...historyLines(batches, minuteOf(service.baseUrl))];
  const steps: [string, string][] = [
    [`${run} dev`, 'look at it on this machine'],
    [`${run} build`, 'make the site, in _site/'],
    hostOf(host)?.form === 'thin'
      ? [`${run} deploy`, 'upload it to the host, once .env has its settings']
      : [`${run} preview`, 'look at the built site'],
  ];
  if (accounts.length > 0) steps.push([`${batches} pull`, 'fetch the history of sent videos']);
  const lines = [...start, ...commandLines(steps), ''];
  if (host === 'folder') return [...lines, ...folderLines(site.url)];
  if (ci === 'none') return lines.slice(0, -1);
  if (pushing.repository && pushing.made === undefined && pushing.files.length === 0) {
    return [
      ...lines,
      'git ignores these files in a clone of the program. For scheduled builds, make a project:',
      '  npm run new -- ../my-site',
    ];
  }
  const keys = new Set(dealers.map(({ apiKeyEnv }) => apiKeyEnv));
  const texts = CI_TEXTS[ci];
  return [
    ...lines,
    'Rebuilt every night:',
    ...pushLines(texts.newRepository, pushing),
    `  ${texts.settings}:`,
    `    ${texts.secrets} ${[...keys, SITE_SECRET_VARIABLE, ...secrets].join(', ')}`,
    ...(variables.length > 0 ? [`    variables ${variables.join(', ')}`] : []),
    ...texts.more,
    '  docs/hosting.md explains where to get them.',
  ];
}
