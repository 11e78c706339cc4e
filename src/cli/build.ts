import path from 'node:path';
import { enginesOf } from '../config/engines.ts';
import { ciEnvironment, deployTarget, runsInCi } from '../config/environment.ts';
import { hostOf } from '../config/hosts.ts';
import { loadConfig } from '../config/load.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import { checkReport } from '../publish/folder-checks/check.ts';
import { chooseForm } from '../publish/options/output-form.ts';
import { readTimeLimit } from '../publish/options/time-limit.ts';
import { runAndReport } from '../publish/outcome/run-and-report.ts';
import { runBuild } from '../publish/run.ts';
import type { BUILD_OPTIONS } from './options.ts';
import { configFile, nextStep, printFailure, shownFolder } from './shared.ts';

export const run: Run<typeof BUILD_OPTIONS> = async ({ values }, io) => {
  const { env, cwd, stdout, signal } = io;
  const around = ciEnvironment(env);
  const terminal = createConsole({
    stream: stdout,
    quiet: values.quiet,
    githubActions: around.githubActions,
  });
  const { now, report: reportFile } = values;
  const timeLimit = values.for === undefined ? undefined : readTimeLimit(values.for);
  const deployTo = deployTarget(env);
  const { form, why } = chooseForm({
    deployTo,
    inCi: runsInCi(env),
    whole: values.whole,
    thin: values.thin,
  });
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
        cacheDir: values.cache,
        console: terminal,
        ...(now !== undefined && { now }),
        timeLimit,
        acceptLoss: values['accept-loss'],
        hide: values.hide,
        first: values.first,
        strict: values.strict,
        fromPublished: !values['no-from-published'],
        signal,
      }),
  });
  if (result.error) printFailure(result.error, io, values);
  else {
    const isDeployed = deployTo !== undefined && hostOf(deployTo)?.form === 'thin';
    const usual = form === 'thin' ? '_changes' : '_site';
    terminal.line(nextStep(output, io, form === 'thin' || isDeployed ? usual : undefined));
  }
  return result.exitCode;
};
