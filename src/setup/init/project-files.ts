/** Plans the files of a project other than its configuration, keys and workflow. */
import { readdir } from 'node:fs/promises';
import {
  inColumns,
  type PackageManager,
  planScripts,
  scriptLines,
  tarballOf,
  VENDOR,
} from '../project.ts';
import { fill } from '../templates.ts';
import { WORKFLOWS } from '../workflow.ts';
import { type Answers, hasSite } from './answers.ts';
import { type PlannedFile, planFile } from './write.ts';

/** Files that git must ignore: keys, packages and the output of commands. */
const IGNORED = [
  'node_modules/',
  '.env',
  '.env.*',
  '!.env.example',
  '_site/',
  '._site.*/',
  '_changes/',
  '._changes.*/',
  '_site-feeds/',
  '_changes-feeds/',
  '.cache/',
  '.demo/',
  '.batches/',
  'build-report*.json',
];

/** git must not ignore `vendor/` because it contains the program. Templates of `.gitignore` often ignore it. */
const NOT_IGNORED = [`!/${VENDOR}/`, `!/${VENDOR}/*.tgz`];

/**
 * Adds missing lines to the text of `.gitignore`. Existing lines stay.
 *
 * @param vendored whether the project contains the program.
 */
export function ignoreFile(
  former: string | undefined,
  manager: PackageManager,
  vendored = false,
): string {
  const plain = (line: string) => line.trim().replace(/^\/|\/$/g, '');
  const formerLines = new Set((former ?? '').split('\n').map(plain));
  const requiredLines = [
    ...IGNORED,
    ...(manager === 'yarn' ? ['.yarn/'] : []),
    ...(vendored ? NOT_IGNORED : []),
  ];
  const missing = requiredLines.filter((line) => !formerLines.has(plain(line)));
  if (missing.length === 0) return former ?? '';
  const end = former?.includes('\r\n') ? '\r\n' : '\n';
  const start = former === undefined || former === '' || former.endsWith('\n') ? '' : end;
  return `${former ?? ''}${start}${missing.map((line) => line + end).join('')}`;
}

/** An example theme that changes nothing. */
export const THEME_EXAMPLE = 'theme/assets/theme.css';

const REBUILT: Readonly<Record<Answers['ci'], string>> = {
  github: `GitHub Actions (\`${WORKFLOWS.github}\`). Its keys are secrets of the repository`,
  gitlab: `GitLab CI (\`${WORKFLOWS.gitlab}\`). Its keys are variables of the project`,
  none: 'a scheduler that runs `build` and `deploy`, such as cron',
};

/** The README of a project, for its maintainers. */
export function readmeFile(answers: Answers, manager: PackageManager, vendored = false): string {
  const { title, url } = answers.site;
  const { run, batches } = scriptLines(manager);
  const heading = title.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&');
  const siteCommands = [
    [`${run} dev`, 'show the site while you change it'],
    [`${run} build`, 'make it, in _site/'],
    [`${run} preview`, 'show the built site'],
    [`${run} deploy`, 'upload it to the host'],
  ] as const;
  const historyCommands = [
    [`${batches} pull`, 'fetch the history, every night'],
    [`${batches} export --help`, 'write contacts or batches to a file'],
  ] as const;
  const commands = [
    [`${manager} install`, 'once on each machine'],
    ...(hasSite(answers) ? siteCommands : historyCommands),
    [`${run} doctor`, 'find problems and fixes'],
  ] as const;
  return fill('README.md', {
    heading: hasSite(answers) ? heading : 'History of sent videos',
    hasSite: hasSite(answers),
    vendored,
    run,
    link: `<${url}>`,
    rebuilt: REBUILT[answers.ci],
    commands: inColumns(commands, ' # '),
  });
}

/**
 * Plans the other files of a project. Existing files stay, but missing lines are added to `.gitignore`, and missing
 * scripts to package.json.
 *
 * @param scripts names of the commands. Empty if the project starts them differently.
 * @returns the files, and the names of scripts that the project uses for another purpose.
 * @throws {ConfigError} a path is not a file of this project.
 */
export async function planProjectFiles(
  root: string,
  answers: Answers,
  { manager, scripts }: { manager: PackageManager; scripts: readonly string[] },
): Promise<{ files: PlannedFile[]; taken: string[] }> {
  const names = await readdir(root);
  const vendored = (await tarballOf(root)) !== undefined;
  const files: PlannedFile[] = [];
  const add = async (file: string, textFrom: (former: string | undefined) => string) => {
    const planned = await planFile(root, file, (former) => ({ text: textFrom(former) }));
    if (!planned.isUnchanged) files.push(planned);
  };
  await add('.gitignore', (former) => ignoreFile(former, manager, vendored));
  if (!names.some((name) => /^readme(\.|$)/i.test(name))) {
    await add('README.md', () => readmeFile(answers, manager, vendored));
  }
  if (hasSite(answers) && !names.includes('theme')) {
    await add(THEME_EXAMPLE, () => fill('theme.css', {}));
  }
  const { text, taken = [] } = (await planScripts(root, scripts)) ?? {};
  if (text !== undefined) await add('package.json', () => text);
  return { files, taken };
}
