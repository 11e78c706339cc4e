import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PACKAGE_ROOT } from '../../lib/own-package.ts';
import { type PackageManager, packageManagerOf } from './package-manager.ts';

/** What a workflow needs to know about the project that it installs and builds. */
export interface Project {
  /** The package manager that wrote the lockfile. */
  manager: PackageManager;
  /** Whether package.json names the versions of Node that the project runs on. */
  engines: boolean;
  /** Names of scripts that the project uses for something else. */
  taken: readonly string[];
}

/** What `npm run NAME` runs. */
export const scriptOf = (name: string): string => `vehicle-media-site ${name}`;

/** Those of the names that a project's scripts use for something else. */
export const takenScripts = (
  scripts: Readonly<Record<string, string>>,
  names: readonly string[],
): string[] => names.filter((name) => !(scripts[name] ?? scriptOf(name)).includes(scriptOf(name)));

/** The project in a folder. If package.json cannot be read, the package manager reports that. */
export async function readProject(root: string): Promise<Project> {
  const text = await readFile(path.join(root, 'package.json'), 'utf8').catch(() => '{}');
  let manifest: { engines?: { node?: string }; scripts?: Record<string, string> } = {};
  try {
    manifest = JSON.parse(text);
  } catch {}
  return {
    manager: packageManagerOf(root, {}),
    engines: manifest.engines?.node !== undefined,
    // The development checkout starts the commands in another way.
    taken: root === PACKAGE_ROOT ? [] : takenScripts(manifest.scripts ?? {}, COMMANDS),
  };
}

/** Commands that a workflow runs. */
const COMMANDS = ['build', 'deploy', 'doctor'] as const;

type Command = (typeof COMMANDS)[number];

/** Pinned, because jobs with secrets run it. It runs the version that `packageManager` of package.json names. */
const COREPACK = 'npx --yes corepack@0.36.0';

/** Shell line that runs a command of this program in a project, with arguments. */
export function commandLine({ manager, taken }: Project, name: Command, args = ''): string {
  const end = args === '' ? '' : ` ${args}`;
  if (taken.includes(name)) return `node_modules/.bin/${scriptOf(name)}${end}`;
  if (manager !== 'npm') return `${COREPACK} ${manager} run ${name}${end}`;
  return `npm run ${name}${args === '' ? '' : ` --${end}`}`;
}

/** Shell lines that install a project by its lockfile. */
export function installLines({ manager }: Project): string[] {
  if (manager === 'npm') return ['npm ci'];
  if (manager === 'pnpm') return [`${COREPACK} pnpm install --frozen-lockfile`];
  return [
    "if grep -q '^# yarn lockfile v1' yarn.lock",
    `then ${COREPACK} yarn install --frozen-lockfile`,
    `else ${COREPACK} yarn install --immutable`,
    'fi',
  ];
}

/** Deploys a folder to Cloudflare Pages, with Cloudflare's tool. */
export const pagesLine = (folder: string): string =>
  `npx --yes wrangler@4.164.0 pages deploy ${folder} --project-name "$CLOUDFLARE_PROJECT" --branch main`;

/**
 * Shell lines that build. Afterwards `$code` is the exit code. A loss is an argument of its own and never
 * part of the script.
 *
 * @param whole the condition for a whole site.
 */
export const buildLines = (project: Project, whole: string): string[] => [
  'set -f -- --strict',
  `if ${whole}; then set -- "$@" --whole; fi`,
  'for loss in $ACCEPT_LOSS; do set -- "$@" "--accept-loss=$loss"; done',
  'code=0',
  `${commandLine(project, 'build', '"$@"')} || code=$?`,
];

/** Shell line that adds the project's own files to what was built. */
export const OWN_FILES_LINE =
  'for folder in _changes/files _site; do if [ -d "$folder" ]; then cp -R "$OWN_FILES/." "$folder"; fi; done';
