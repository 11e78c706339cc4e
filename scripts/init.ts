import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { HOST_IDS } from '../src/config/hosts.ts';
import { keyFromEnvironment, loadEnvironmentFile } from '../src/config/load.ts';
import type { Secret } from '../src/config/secret.ts';
import { describeError, EXIT, RefusedError } from '../src/errors.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { doctorLines, examine, exitCodeOf } from '../src/setup/doctor/doctor.ts';
import { type Answers, answersFromFlags, CI, checked } from '../src/setup/init/answers.ts';
import { createAsker } from '../src/setup/init/ask.ts';
import { readExisting } from '../src/setup/init/existing.ts';
import { keyRefused, keysFor, keysFromText } from '../src/setup/init/keys.ts';
import { NOT_READY, nextSteps } from '../src/setup/init/next-steps.ts';
import { askAll, Probe } from '../src/setup/init/probe.ts';
import { type Asked, askPerson } from '../src/setup/init/questions.ts';
import { repositoryOf } from '../src/setup/init/repository.ts';
import { lossesOf, planFiles, wouldOverwrite, writeFiles } from '../src/setup/init/write.ts';
import { runCommand } from './cli.ts';

const usage = `
Sets the project up for your service: writes site.config.ts, .env and the workflow that rebuilds the
site every night, and then runs the doctor. In a terminal it asks; with flags it asks nothing.

npm run init -- [options]
  --service URL        address of the media service
  --url URL            address at which visitors will reach the site
  --dealer ID=NAME     a dealer; may be repeated
  --account NAME=CUSTOMER/PATH
                       an account of MyVideos (docs/batches.md); may be repeated
  --title TEXT         title of the site; default the first dealer's name
  --locale TAG         language and region; default en-GB
  --time-zone ZONE     default Europe/London
  --ci CI              ${CI.join(', ')}; default github
  --host HOST          ${HOST_IDS.join(', ')}; default none
  --picture-host HOST  a host of pictures besides the service's own; may be repeated
  --hosted-video NAME  prefix of the hosted-video fields; default hostedVideo
  --detect             take picture hosts, that prefix and the names of click counts from the
                       service's own answers
  --key-per-dealer     each dealer has a key of its own, in MEDIA_API_KEY_ID
  --key-stdin          read the key from standard input, or lines of NAME=KEY
  --force              overwrite what is there; of a file of yours, a copy is kept beside it
  --quiet              only warnings and errors

In a project that was set up before, its settings stand in for flags that are not given.
The key is never an argument: it comes from the prompt, from the environment (MEDIA_API_KEY and,
for accounts, BATCH_API_KEY), or with --key-stdin. It is tried before anything is written. Exit
codes: 0 ready, 2 something is wrong; nothing is overwritten without --force.
`;

const root = process.cwd();
const present = (name: string): Secret | undefined => keyFromEnvironment(name);

/** What the service says to answers that nobody can be asked about. */
async function probed(asked: Asked, detect: boolean, signal: AbortSignal): Promise<Answers> {
  const { answers, keys } = asked;
  const probe = new Probe(answers, signal);
  const problems = await askAll(probe, answers, keys);
  const refused = problems.find((problem) => problem instanceof RefusedError);
  if (refused) throw keyRefused(refused);
  if (!detect) return answers;
  for (const { message } of problems) console.log(`Could not look: ${message}`);
  const found = probe.found(answers.baseUrl);
  const pictureHosts = [...answers.pictureHosts, ...found.pictureHosts];
  const hostedVideo = found.hostedVideo ?? answers.hostedVideo;
  if (found.pictureHosts.length > 0) {
    console.log(`Found picture hosts: ${found.pictureHosts.join(', ')}`);
  }
  if (found.hostedVideo) console.log(`Found the name of hosted videos: ${found.hostedVideo}`);
  const clicks = Object.values(found.clicks);
  if (clicks.length > 0) console.log(`Found the names of click counts: ${clicks.join(', ')}`);
  return checked({
    ...answers,
    pictureHosts,
    hostedVideo,
    clicks: { ...answers.clicks, ...found.clicks },
  });
}

await runCommand(
  {
    usage,
    options: {
      service: { type: 'string' },
      url: { type: 'string' },
      dealer: { type: 'string', multiple: true },
      account: { type: 'string', multiple: true },
      title: { type: 'string' },
      locale: { type: 'string' },
      'time-zone': { type: 'string' },
      ci: { type: 'string' },
      host: { type: 'string' },
      'picture-host': { type: 'string', multiple: true },
      'hosted-video': { type: 'string' },
      detect: { type: 'boolean' },
      'key-per-dealer': { type: 'boolean' },
      'key-stdin': { type: 'boolean' },
      force: { type: 'boolean' },
      quiet: { type: 'boolean' },
    },
  },
  async ({ values }, signal) => {
    const {
      force,
      quiet = false,
      debug,
      ...flags
    } = values as typeof values & {
      debug?: boolean;
    };
    const progress = createConsole({ stream: process.stderr, quiet });
    const interactive = Object.keys(flags).length === 0 && process.stdin.isTTY === true;
    const ask = interactive ? createAsker() : undefined;
    const { answers: existing, languages, problem } = await readExisting(root);
    if (problem)
      console.error(`${describeError(problem)}\nIts settings are not offered as answers.\n`);
    const repository = await repositoryOf(root);
    let asked: Asked;
    if (ask) {
      asked = await askPerson(ask, { present, existing, languages, repository, signal });
    } else {
      const answers = answersFromFlags(flags, existing);
      const given = flags['key-stdin']
        ? keysFromText(await readAll(process.stdin), answers)
        : undefined;
      asked = { answers, keys: keysFor(answers, (name) => given?.get(name) ?? present(name)) };
      asked.answers = await probed(asked, flags.detect === true, signal);
    }
    const files = await planFiles(root, asked.answers, asked.keys, existing);
    const losses = lossesOf(files);
    if (losses.length > 0 && !force) {
      if (!ask) throw wouldOverwrite(losses);
      const question = `Overwrite ${losses.join('; ')}? A copy of a file is kept beside it; settings that were not asked for are not carried over.`;
      if (!(await ask.confirm(question, false))) throw wouldOverwrite(losses);
    }
    const written = (await writeFiles(root, files)).join(', ');
    if (!quiet) console.log(`Written: ${written}\n`);
    // What was just written is what commands will read from now on.
    loadEnvironmentFile(undefined, { override: [...asked.keys.keys(), 'DEPLOY_TO'] });
    const { findings, config } = await examine({
      file: 'site.config.ts',
      output: path.resolve('_site'),
      cacheDir: path.resolve('.cache'),
      report: path.resolve('build-report.json'),
      deployTo: asked.answers.host,
      envFile: path.resolve('.env'),
      signal,
      onStep: (step) => progress.progress(step),
    });
    progress.finish();
    const shown = quiet ? findings.filter(({ severity }) => severity !== 'info') : findings;
    const text = doctorLines(shown).join('\n');
    const safe = [...(config?.dealers ?? []), ...(config?.accounts ?? [])].reduce(
      (told, { apiKey }) => apiKey.redact(told),
      text,
    );
    if (shown.length > 0 || !quiet) console.log(safe);
    if (quiet) return exitCodeOf(findings);
    const toPush = files.map(({ file }) => file).filter((file) => file !== '.env');
    const steps =
      exitCodeOf(findings) === EXIT.published
        ? nextSteps(asked.answers, { repository, own: asked.ownRepository, files: toPush })
        : NOT_READY;
    console.log(`\n${steps.join('\n')}`);
    return exitCodeOf(findings);
  },
);
