import path from 'node:path';
import { enginesOf } from '../../src/config/engines.ts';
import {
  ciEnvironment,
  deployTarget,
  runsInCi,
  sharesEngines,
} from '../../src/config/environment.ts';
import { hostOf } from '../../src/config/hosts.ts';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { createConsole } from '../../src/lib/terminal/progress.ts';
import { checkReport } from '../../src/publish/folder-checks/check.ts';
import { readLostFiles } from '../../src/publish/options/lost-files.ts';
import { chooseForm } from '../../src/publish/options/output-form.ts';
import { readShard } from '../../src/publish/options/shard.ts';
import { runAndReport } from '../../src/publish/outcome/run-and-report.ts';
import { runBuild } from '../../src/publish/run.ts';
import type { BUILD_OPTIONS } from './definitions/build.ts';
import { configFile } from './shared/config-file.ts';
import { nextStep, printFailure, shownFolder } from './shared/outcome.ts';

export const run: Run<typeof BUILD_OPTIONS> = async ({ values }, io) => {
  const { env, cwd, stdout, signal } = io;
  const around = ciEnvironment(env);
  const { dealers, run: runName } = values;
  const shard =
    values.shard === undefined ? undefined : readShard(values.shard, { dealers, run: runName });
  if (!shard && (dealers !== undefined || runName !== undefined)) throw needsShard();
  const terminal = createConsole({
    stream: stdout,
    quiet: values.quiet,
    githubActions: around.githubActions,
  });
  const { now, report: reportFile } = values;
  const deployTo = deployTarget(env);
  const { form, why } = chooseForm({
    deployTo,
    inCi: runsInCi(env),
    whole: values.whole,
    thin: values.thin,
    isShard: shard !== undefined,
    isShared: sharesEngines(env),
  });
  const lost = values.lost === undefined ? [] : readLostFiles(values.lost, form);
  const output = values.output ?? path.join(cwd, form === 'thin' ? '_changes' : '_site');
  checkReport(reportFile, output);
  if (why !== undefined) terminal.line(why);
  const result = await runAndReport({
    loadConfig: () => loadConfig({ file: configFile(values, io), keysFor: 'dealers', env }),
    reportFile,
    place: shownFolder(output, io),
    summaryFile: around.stepSummary,
    console: terminal,
    ...(now !== undefined && { now }),
    readEngines: () => enginesOf(env),
    run: (config, engines) =>
      runBuild({
        config,
        engines,
        output,
        form,
        lost,
        cacheDir: values.cache,
        console: terminal,
        ...(now !== undefined && { now }),
        ...(shard && { shard }),
        acceptLoss: values['accept-loss'],
        first: values.first,
        strict: values.strict,
        fromPublished: !values['no-from-published'],
        signal,
      }),
  });
  if (result.error) printFailure(result.error, io, values);
  else if (shard)
    terminal.line(`The part is in ${shownFolder(output, io)}; npm run merge makes a site of all.`);
  else {
    const isDeployed = deployTo !== undefined && hostOf(deployTo)?.form === 'thin';
    const usual = form === 'thin' ? '_changes' : '_site';
    terminal.line(nextStep(output, io, form === 'thin' || isDeployed ? usual : undefined));
  }
  return result.exitCode;
};

function needsShard(): ConfigError {
  return new ConfigError({
    code: 'argument-shard',
    what: '--dealers and --run need --shard.',
    why: 'They say what is in one part of a site, and which run it belongs to.',
    fix: 'Add --shard 1/4 or the like; npm run plan prints all that a part needs.',
  });
}
