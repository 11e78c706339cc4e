import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { keyFromEnvironment, loadEnvironmentFile } from '../config/environment.ts';
import type { Secret } from '../config/secret.ts';
import { newSiteSecret, SITE_SECRET_VARIABLE } from '../config/site-secret.ts';
import { ConfigError, describeError, EXIT, RefusedError } from '../errors.ts';
import type { Args, Io } from '../lib/command-line/definition.ts';
import { PACKAGE_ROOT } from '../lib/own-package.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import { doctorText, examine, exitCodeOf } from '../setup/doctor/doctor.ts';
import { type Answers, answersFromFlags, checked, type Flags } from '../setup/init/answers.ts';
import { createAsker } from '../setup/init/ask.ts';
import { readExisting } from '../setup/init/existing.ts';
import { keyRefused, keysFor, keysFromText } from '../setup/init/keys.ts';
import { nextSteps, notReady } from '../setup/init/next-steps.ts';
import { askAll, Probe, refusedText } from '../setup/init/probe.ts';
import { planProjectFiles } from '../setup/init/project-files.ts';
import { type Asked, askPerson } from '../setup/init/questions.ts';
import { commitFirst, makeRepository, notIgnored, repositoryOf } from '../setup/init/repository.ts';
import { lossesOf, planFiles, wouldOverwrite, writeProjectFiles } from '../setup/init/write.ts';
import { LOCKFILE_NAMES, packageManagerOf, tarballOf, VENDOR } from '../setup/project.ts';
import type { INIT_OPTIONS } from './definitions/init.ts';

/** What a project has beside what is written here, and what belongs into its repository. */
const PROJECT_FILES = ['package.json', 'pnpm-workspace.yaml', '.yarnrc.yml', ...LOCKFILE_NAMES];

/** The project's folder from where a package manager was started, if a person has to go there yet. */
function folderFrom(start: string | undefined, root: string): string {
  const folder = path.relative(start ?? root, root);
  // Package managers find the project from the folders below it.
  if (/^[./\\]*$/.test(folder) || path.isAbsolute(folder)) return '';
  const shorter = folder.length < root.length ? folder : root;
  return /[^\w./-]/.test(shorter) ? `"${shorter}"` : shorter;
}

/** @throws {ConfigError} the configuration that is written could not be read from this folder. */
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

/** What the service says to answers that nobody can be asked about. */
async function probed(
  asked: Asked,
  { detect, print, signal }: { detect: boolean; print(text: string): void; signal: AbortSignal },
): Promise<Answers> {
  const { answers, keys } = asked;
  const probe = new Probe(answers, signal);
  const problems = await askAll(probe, answers, keys);
  const refused = problems.find((problem) => problem instanceof RefusedError);
  if (refused) throw keyRefused(refused);
  if (!detect) return answers;
  for (const { message } of problems) print(`Could not look: ${message}`);
  const found = await probe.found(answers.baseUrl);
  const refusedHosts = refusedText(found);
  if (refusedHosts !== undefined) print(refusedHosts);
  const pictureHosts = [...answers.pictureHosts, ...found.pictureHosts];
  const hostedVideo = found.hostedVideo ?? answers.hostedVideo;
  if (found.pictureHosts.length > 0) {
    print(`Found picture hosts: ${found.pictureHosts.join(', ')}`);
  }
  if (found.hostedVideo) print(`Found the name of hosted videos: ${found.hostedVideo}`);
  const clicks = Object.values(found.clicks);
  if (clicks.length > 0) print(`Found the names of click counts: ${clicks.join(', ')}`);
  return checked({
    ...answers,
    pictureHosts,
    hostedVideo,
    clicks: { ...answers.clicks, ...found.clicks },
  });
}

export const runInit = async (
  { values, given }: Args<typeof INIT_OPTIONS>,
  io: Io,
  commandNames: readonly string[],
): Promise<number> => {
  const { force, quiet, detect } = values;
  const { stdin, stderr, env, cwd: root, signal } = io;
  const print = (text: string) => io.stdout.write(`${text}\n`);
  const present = (name: string): Secret | undefined => keyFromEnvironment(name, env);
  const progress = createConsole({ stream: stderr, quiet });
  const answering = [...given].filter((name) => !['force', 'quiet', 'debug'].includes(name));
  const interactive = answering.length === 0 && stdin.isTTY === true;
  const ask = interactive ? createAsker() : undefined;
  checkInstalled(root);
  const { answers: existing, languages, problem } = await readExisting(root, env);
  if (problem)
    stderr.write(`${describeError(problem)}\nIts settings are not offered as answers.\n\n`);
  const repository = await repositoryOf(root);
  let asked: Asked;
  if (ask) {
    asked = await askPerson(ask, { present, existing, languages, repository, signal });
  } else {
    const flags = Object.fromEntries(answering.map((name) => [name, values[name as keyof Flags]]));
    const answers = answersFromFlags(flags, existing);
    const keys = values['key-stdin'] ? keysFromText(await readAll(stdin), answers) : undefined;
    asked = { answers, keys: keysFor(answers, (name) => keys?.get(name) ?? present(name)) };
    asked.answers = await probed(asked, { detect, print, signal });
  }
  const manager = packageManagerOf(root, env);
  const project = await planProjectFiles(root, asked.answers, {
    manager,
    // The development checkout starts them otherwise.
    scripts: root === PACKAGE_ROOT ? [] : commandNames,
  });
  const keys = new Map(asked.keys).set(
    SITE_SECRET_VARIABLE,
    present(SITE_SECRET_VARIABLE) ?? newSiteSecret(),
  );
  const files = [...(await planFiles(root, asked.answers, keys, existing)), ...project.files];
  const losses = lossesOf(files);
  if (losses.length > 0 && !force) {
    if (!ask) throw wouldOverwrite(losses);
    const question = `Overwrite ${losses.join('; ')}? A copy of a file is kept beside it; settings that were not asked for are not carried over.`;
    if (!(await ask.confirm(question, false))) throw wouldOverwrite(losses);
  }
  const written = (await writeProjectFiles(root, files)).join(', ');
  const tarball = await tarballOf(root);
  const ours = new Set([
    ...files.map(({ file }) => file).filter((file) => file !== '.env'),
    // What a CI installs from; the development checkout has it committed.
    ...(root === PACKAGE_ROOT
      ? []
      : PROJECT_FILES.filter((file) => existsSync(path.join(root, file)))),
    ...(tarball === undefined ? [] : [`${VENDOR}/${tarball}`]),
  ]);
  const made = repository === undefined && (await makeRepository(root));
  const committed = made && (await commitFirst(root, ours));
  if (!quiet) {
    print(`Written: ${written}`);
    if (project.taken.length > 0) {
      print(
        `These scripts of package.json are of your own: ${project.taken.join(', ')}. In their place: npx --no -- vehicle-media-site ${project.taken[0]}`,
      );
    }
    if (made) {
      print(
        `A git repository was made${committed ? `, with all of it but .env in its first commit` : ''}.`,
      );
    }
    print('');
  }
  // What was just written is what commands will read from now on.
  const envFile = path.join(root, '.env');
  loadEnvironmentFile(envFile, { override: [...keys.keys(), 'DEPLOY_TO'], env });
  const examination = await examine({
    file: path.join(root, 'site.config.ts'),
    output: path.join(root, '_site'),
    cacheDir: path.join(root, '.cache'),
    report: path.join(root, 'build-report.json'),
    deployTo: asked.answers.host,
    envFile,
    env,
    signal,
    onStep: (step) => progress.progress(step),
  });
  progress.finish();
  const exitCode = exitCodeOf(examination.findings);
  if (!quiet || examination.findings.some(({ severity }) => severity !== 'info')) {
    print(doctorText(examination, quiet));
  }
  if (quiet) return exitCode;
  const steps =
    exitCode === EXIT.published
      ? nextSteps(
          asked.answers,
          {
            repository: made ? await repositoryOf(root) : repository,
            own: asked.ownRepository,
            made: made ? (committed ? 'committed' : 'empty') : undefined,
            files: await notIgnored(root, [...ours]),
          },
          { manager, folder: folderFrom(env.INIT_CWD, root) },
        )
      : notReady(manager);
  print(`\n${steps.join('\n')}`);
  return exitCode;
};
