import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import {
  HASH_KEY_VARIABLE,
  keyFromEnvironment,
  loadEnvironmentFile,
  newSiteSecret,
  refuseExposing,
  SITE_SECRET_VARIABLE,
} from '../config/environment.ts';
import type { Secret } from '../config/secret.ts';
import { ConfigError, EXIT } from '../errors.ts';
import type { Args, Io } from '../lib/command-line/definition.ts';
import { PACKAGE_ROOT } from '../lib/own-package.ts';
import { doctorText, exitCodeOf } from '../setup/doctor/doctor.ts';
import { planAddedSite } from '../setup/init/add-site.ts';
import { type Answers, answersFromFlags, type Flags, hasSite } from '../setup/init/answers.ts';
import { createAsker } from '../setup/init/ask.ts';
import { addedDealers, CONFIG_FILE } from '../setup/init/config-file.ts';
import { readExisting } from '../setup/init/existing.ts';
import { keysFor, keysFromText } from '../setup/init/keys.ts';
import { nextSteps } from '../setup/init/next-steps.ts';
import { planProjectFiles } from '../setup/init/project-files.ts';
import { askPerson } from '../setup/init/questions.ts';
import {
  commitFirst,
  makeRepository,
  repositoryOf,
  uncommitted,
} from '../setup/init/repository.ts';
import { tryAnswers } from '../setup/init/service.ts';
import { confirmLosses, planFiles, writeProjectFiles } from '../setup/init/write.ts';
import { LOCKFILE_NAMES, packageManagerOf, tarballOf, VENDOR } from '../setup/project.ts';
import { examineHere } from './doctor.ts';
import type { INIT_OPTIONS } from './options.ts';
import { shellWord } from './shared.ts';

type InitArgs = Args<typeof INIT_OPTIONS>;

/** Project files that init commits but does not write. */
const PROJECT_FILES = ['package.json', 'pnpm-workspace.yaml', '.yarnrc.yml', ...LOCKFILE_NAMES];

/** The path from the user's folder to the project. Empty if the user is in the project or below it. */
function folderFrom(start: string | undefined, root: string): string {
  const folder = path.relative(start ?? root, root);
  // Package managers find the project from the folders below it.
  if (/^[./\\]*$/.test(folder) || path.isAbsolute(folder)) return '';
  return shellWord(folder.length < root.length ? folder : root);
}

/** @throws {ConfigError} a configuration in this folder could not import the package. */
function checkInstalled(root: string): void {
  try {
    createRequire(path.join(root, 'package.json')).resolve('vehicle-media-site/config');
  } catch {
    throw new ConfigError({
      code: 'init-not-installed',
      what: 'Nothing was written: vehicle-media-site is not installed in this folder.',
      why: `The site's settings and its workflow need it as a dependency of ${path.join(root, 'package.json')}.`,
      fix: 'For a new project, run in a clone of the program: npm run new -- ../my-site',
    });
  }
}

/** The answers, from the flags or from the user. `ask` is undefined if they are from the flags. */
async function answersOf({ values, given }: InitArgs, { stdin, stdout, env, cwd, signal }: Io) {
  const present = (name: string): Secret | undefined => keyFromEnvironment(name, env);
  const existing = await readExisting(cwd, env);
  const answerFlags = [...given].filter((name) => !['force', 'quiet', 'debug'].includes(name));
  if (answerFlags.length === 0 && stdin.isTTY === true) {
    const ask = createAsker();
    return { ...(await askPerson(ask, { present, existing, signal })), ask, existing };
  }
  const flags = Object.fromEntries(answerFlags.map((name) => [name, values[name as keyof Flags]]));
  const answers = answersFromFlags(flags, existing);
  const added = existing && addedDealers(answers, existing);
  // Other dealers may be refused at the moment, and their keys may be only in CI.
  const tried = added ? { ...answers, dealers: added, accounts: [] } : answers;
  const pipedKeys = values['key-stdin'] ? keysFromText(await readAll(stdin), tried) : undefined;
  const keys = keysFor(tried, (name) => pipedKeys?.get(name) ?? present(name));
  const notes = await tryAnswers(tried, keys, { detects: values.detect, signal });
  for (const note of notes) stdout.write(`${note}\n`);
  return { answers, keys, existing, ask: undefined };
}

/** Creates a git repository for the project if it is not in one, and commits its files. */
async function addRepository(root: string, writtenFiles: readonly string[]) {
  const tarball = await tarballOf(root);
  // CI installs from these files. The development checkout has already committed them.
  const installed = PROJECT_FILES.filter((file) => existsSync(path.join(root, file)));
  const files = new Set([
    ...writtenFiles.filter((file) => file !== '.env'),
    ...(root === PACKAGE_ROOT ? [] : installed),
    ...(tarball === undefined ? [] : [`${VENDOR}/${tarball}`]),
  ]);
  const isNew = (await repositoryOf(root)) === undefined && (await makeRepository(root));
  if (isNew) await commitFirst(root, files);
  return {
    isNew,
    files: await uncommitted(root, [...files]),
    repository: await repositoryOf(root),
    isClone: root === PACKAGE_ROOT,
  };
}

/** Examines the new project, and prints the findings and the next steps. */
async function examineProject(
  answers: Answers,
  pushing: Parameters<typeof nextSteps>[1],
  { quiet }: InitArgs['values'],
  io: Io,
): Promise<number> {
  const { stdout, env, cwd: root } = io;
  const settings = {
    file: path.join(root, CONFIG_FILE),
    output: path.join(root, '_site'),
    cacheDir: path.join(root, '.cache'),
    report: path.join(root, 'build-report.json'),
    deployTo: hasSite(answers) ? answers.host : undefined,
  };
  const examination = await examineHere(settings, io, quiet);
  const exitCode = exitCodeOf(examination.findings);
  if (!quiet || examination.findings.some(({ severity }) => severity !== 'info')) {
    stdout.write(`${doctorText(examination, quiet)}\n`);
  }
  if (quiet) return exitCode;
  const manager = packageManagerOf(root, env);
  const steps =
    exitCode === EXIT.published
      ? nextSteps(answers, pushing, { manager, folder: folderFrom(env.INIT_CWD, root) })
      : [
          `Not ready yet: correct the findings with ERROR above, then: ${manager} run doctor`,
          `${manager} run init can be run again. It offers the current settings as answers.`,
        ].join('\n');
  stdout.write(`\n${steps}\n`);
  return exitCode;
}

/** Adds another site to the project, and changes no other files. */
async function addSite(
  { values, given }: InitArgs,
  { env, cwd: root, stdout }: Io,
): Promise<number> {
  const existing = await readExisting(root, env);
  const flags = Object.fromEntries([...given].map((name) => [name, values[name as keyof Flags]]));
  const files = await planAddedSite(root, flags, existing);
  if (!values.force) await confirmLosses(files);
  const writtenFiles = await writeProjectFiles(root, files);
  const site = `--config sites/${values['add-site']}.config.ts --output _site/${values['add-site']}`;
  if (!values.quiet) {
    stdout.write(`Written: ${writtenFiles.join(', ')}\nNext: npm run doctor -- ${site}\n`);
  }
  return EXIT.published;
}

/** @param commandNames names of the scripts that a project gets. */
export async function runInit(
  args: InitArgs,
  io: Io,
  commandNames: readonly string[],
): Promise<number> {
  const { force, quiet } = args.values;
  const { env, cwd: root } = io;
  const print = (text: string) => quiet || io.stdout.write(`${text}\n`);
  // Init tests keys with the service.
  refuseExposing(env);
  checkInstalled(root);
  if (args.values['add-site'] !== undefined) return addSite(args, io);
  const { answers, keys: userKeys, existing, ask } = await answersOf(args, io);
  const project = await planProjectFiles(root, answers, {
    manager: packageManagerOf(root, env),
    // The development checkout already has scripts for the commands.
    scripts: root === PACKAGE_ROOT ? [] : commandNames,
  });
  const keys = new Map(userKeys);
  const generated = [
    ...(hasSite(answers) ? [SITE_SECRET_VARIABLE] : []),
    ...(answers.accounts.length > 0 ? [HASH_KEY_VARIABLE] : []),
  ];
  for (const name of generated) keys.set(name, keyFromEnvironment(name, env) ?? newSiteSecret());
  const files = [...(await planFiles(root, answers, keys, existing)), ...project.files];
  if (!force) await confirmLosses(files, ask && ((question) => ask.confirm(question, false)));
  print(`Written: ${(await writeProjectFiles(root, files)).join(', ')}`);
  const { taken: otherScripts } = project;
  if (otherScripts.length > 0) {
    print(
      `package.json uses these scripts differently: ${otherScripts.join(', ')}. Instead: npx --no -- vehicle-media-site ${otherScripts[0]}`,
    );
  }
  const pushing = await addRepository(
    root,
    files.map(({ file }) => file),
  );
  const commit = pushing.files.length === 0 ? ' and committed all files except .env' : '';
  if (pushing.isNew) print(`Created a git repository${commit}.`);
  print('');
  // The next step reads the variables of the new file.
  loadEnvironmentFile(path.join(root, '.env'), { override: [...keys.keys(), 'DEPLOY_TO'], env });
  return examineProject(answers, pushing, args.values, io);
}
