import { SITE_SECRET_VARIABLE } from '../../config/environment.ts';
import { hostOf } from '../../config/hosts.ts';
import { inColumns, type PackageManager, scriptLines } from '../project.ts';
import { fill } from '../templates.ts';
import { minuteOf } from '../workflow.ts';
import { type Answers, hasSite } from './answers.ts';
import { FIRST_COMMIT, type repositoryOf } from './repository.ts';

export interface Pushing {
  repository: Awaited<ReturnType<typeof repositoryOf>>;
  /** Whether init created the repository. */
  isNew: boolean;
  /** Files to commit. */
  files: readonly string[];
  /** Whether the project is a clone of this program, in which git ignores the written files. */
  isClone: boolean;
}

/** The commands of a project with a site, with their purposes. */
function siteCommands(
  { host, accounts }: Pick<Answers, 'host' | 'accounts'>,
  { run, batches }: ReturnType<typeof scriptLines>,
): [string, string][] {
  const steps: [string, string][] = [
    [`${run} dev`, 'look at it on this machine'],
    [`${run} build`, 'make the site, in _site/'],
    hostOf(host)?.form === 'thin'
      ? [`${run} deploy`, 'upload it to the host, once .env has its settings']
      : [`${run} preview`, 'look at the built site'],
  ];
  if (accounts.length > 0) steps.push([`${batches} pull`, 'fetch the history of sent videos']);
  return steps;
}

/**
 * The next steps of the user, as text for the terminal.
 *
 * @param folder path of the project, relative to the working folder. Empty if they are the same.
 */
export function nextSteps(
  answers: Answers,
  { repository, isNew, files, isClone }: Pushing,
  { manager = 'npm', folder = '' }: { manager?: PackageManager; folder?: string } = {},
): string {
  const { ci, host, dealers, site, service } = answers;
  const { secrets = [], variables = [] } = hostOf(host) ?? {};
  const lines = scriptLines(manager);
  const isSite = hasSite({ dealers });
  const historyCommands: [string, string][] = [
    [`${lines.batches} pull`, 'fetch the history of sent videos'],
    [`${lines.batches} status`, 'show the number of batches of each account'],
  ];
  const keys = new Set(dealers.map(({ apiKeyEnv }) => apiKeyEnv));
  return fill('next-steps', {
    ci,
    host,
    folder,
    isSite,
    commands: inColumns(isSite ? siteCommands(answers, lines) : historyCommands, '  '),
    minute: minuteOf(isSite ? site.url : service.baseUrl),
    isClone,
    hasRepository: repository !== undefined,
    address: repository?.address,
    isCommitted: repository !== undefined && files.length === 0,
    added: repository && !isNew ? files.join(' ') : '--all',
    message: FIRST_COMMIT,
    secrets: [...keys, SITE_SECRET_VARIABLE, ...secrets].join(', '),
    variables: variables.join(', '),
  }).trimEnd();
}
