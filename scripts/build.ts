import path from 'node:path';
import {
  ciEnvironment,
  defaultConfigFile,
  deployTarget,
  loadConfig,
  readEngines,
  runsInCi,
  sharesEngines,
} from '../src/config/load.ts';
import { ConfigError } from '../src/errors.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { checkReport } from '../src/publish/folders/check.ts';
import { readLostFiles } from '../src/publish/options/lost-files.ts';
import { chooseForm } from '../src/publish/options/output-form.ts';
import { readShard } from '../src/publish/options/shard.ts';
import { runAndReport } from '../src/publish/outcome.ts';
import { runBuild } from '../src/publish/run.ts';
import { changesText, placeText, runCommand, tellFailure } from './cli.ts';

const usage = `
Builds the site: fetches the vehicles of all dealers, makes thumbnails, renders pages, checks the
result, and only then replaces the published folder.

npm run build -- [options]
  --config FILE        configuration (.ts, .js or .json); default site.config.ts
  --output DIR         published folder, default _site; of what changed, default _changes
  --whole              leave the whole site, also where DEPLOY_TO asks for less
  --thin               leave what changed (a change set), for npm run deploy. In CI that is so by
                       itself where DEPLOY_TO is a host that asks for what it lacks
  --lost FILE          with --thin: make again what a deploy could not find, from its lost.json
  --cache DIR          makes the next build faster: records, thumbnails; default .cache
  --report FILE        what the build did, as JSON; default build-report.json
  --accept-loss D@NAME accept one loss of vehicles that a build held back; may be repeated
  --first              nothing is online yet: a dealer without an answer is left out, also where the
                       published site cannot be asked
  --from-published     take thumbnails that are missing here from the published site (site.url);
                       that is so without it, too
  --no-from-published  never take them from there
  --strict             exit code 8 where a person is needed; it is published all the same
  --shard I/N          build one part of N, for npm run merge; see docs/scale.md
  --dealers IDS        dealers of the part, from npm run plan; without it a hash decides
  --run NAME           the run that the part belongs to: parts of two runs are not merged
  --now TIME           the clock, ISO 8601; to see what a build of another day would do
  --quiet              only warnings and errors
  --debug              show stack traces

QUEUE_URL and STORE_URL let workers on other machines make the thumbnails: see docs/scale.md.

Exit codes: 0 published, 1 fault of this program, 2 configuration, 3 refused by the service,
4 service unreachable, 5 a check refused, 6 a secret was found, 8 a person is needed (with --strict).
`;

await runCommand(
  {
    usage,
    options: {
      config: { type: 'string' },
      output: { type: 'string' },
      whole: { type: 'boolean' },
      thin: { type: 'boolean' },
      lost: { type: 'string' },
      cache: { type: 'string', default: '.cache' },
      report: { type: 'string', default: 'build-report.json' },
      'accept-loss': { type: 'string', multiple: true },
      first: { type: 'boolean' },
      strict: { type: 'boolean' },
      shard: { type: 'string' },
      dealers: { type: 'string' },
      run: { type: 'string' },
      'from-published': { type: 'boolean' },
      'no-from-published': { type: 'boolean' },
      now: { type: 'string' },
      quiet: { type: 'boolean' },
    },
  },
  async ({ values }, signal) => {
    const around = ciEnvironment();
    const { dealers, run } = values;
    const shard =
      values.shard === undefined ? undefined : readShard(values.shard, { dealers, run });
    if (!shard && (dealers !== undefined || run !== undefined)) throw needsShard();
    const terminal = createConsole({
      stream: process.stdout,
      quiet: values.quiet === true,
      githubActions: around.githubActions,
    });
    const now = values.now === undefined ? undefined : readTime(values.now);
    const { form, why } = chooseForm({
      deployTo: deployTarget(),
      inCi: runsInCi(),
      whole: values.whole === true,
      thin: values.thin === true,
      isPart: shard !== undefined,
      isShared: sharesEngines(),
    });
    const lost = values.lost === undefined ? [] : readLostFiles(values.lost, form);
    const output = values.output ?? (form === 'thin' ? '_changes' : '_site');
    const reportFile = path.resolve(values.report);
    checkReport(reportFile, path.resolve(output));
    if (why !== undefined) terminal.line(why);
    const result = await runAndReport({
      loadConfig: () =>
        loadConfig({ file: values.config ?? defaultConfigFile(), keysFor: 'dealers' }),
      reportFile,
      summaryFile: around.stepSummary,
      console: terminal,
      ...(now !== undefined && { now }),
      readEngines,
      run: (config, engines) =>
        runBuild({
          config,
          engines,
          output: path.resolve(output),
          form,
          lost,
          cacheDir: path.resolve(values.cache),
          console: terminal,
          ...(now !== undefined && { now }),
          ...(shard && { shard }),
          acceptLoss: values['accept-loss'] ?? [],
          first: values.first === true,
          strict: values.strict === true,
          fromPublished: values['no-from-published'] !== true,
          signal,
        }),
    });
    if (result.error) tellFailure(result.error);
    else if (shard) terminal.line(`The part is in ${output}; npm run merge makes a site of all.`);
    else terminal.line(form === 'thin' ? changesText(output) : placeText(output));
    return result.exitCode;
  },
);

function needsShard(): ConfigError {
  return new ConfigError({
    code: 'argument-shard',
    what: '--dealers and --run need --shard.',
    why: 'They say what is in one part of a site, and which run it belongs to.',
    fix: 'Add --shard 1/4 or the like; npm run plan prints all that a part needs.',
  });
}

function readTime(text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new ConfigError({
    code: 'argument-time',
    what: `--now ${text} is not a time.`,
    fix: 'Write it in ISO 8601, such as 2026-03-02T02:00:00Z.',
  });
}
