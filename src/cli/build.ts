import path from 'node:path';
import { ciEnvironment, configFile, deployTarget, runsInCi } from '../config/environment.ts';
import { millisecondsOf } from '../config/forms.ts';
import { hostOf } from '../config/hosts.ts';
import { AppError, ConfigError, EXIT, printable, worst } from '../errors.ts';
import type { Args, Io, Run } from '../lib/command-line/definition.ts';
import { type Console, createConsole } from '../lib/terminal/progress.ts';
import { chooseForm, type OutputForm } from '../publish/options/output-form.ts';
import type { RunResult } from '../publish/run.ts';
import { runAndReport } from '../publish/run-and-report.ts';
import type { BUILD_OPTIONS } from './options.ts';
import { nextStep, printFailure, shownFolder } from './shared.ts';
import { filesOf, type Site, type SiteResult, sitesOf, sitesSummary } from './sites.ts';

type BuildValues = Args<typeof BUILD_OPTIONS>['values'];

export const run: Run<typeof BUILD_OPTIONS> = async ({ values }, io) => {
  const { env, cwd, stdout, signal } = io;
  const { githubActions } = ciEnvironment(env);
  const terminal = createConsole({ stream: stdout, quiet: values.quiet, githubActions });
  const deployTo = deployTarget(env);
  const { form, why } = chooseForm({ ...values, deployTo, inCi: runsInCi(env) });
  const output = values.output ?? path.join(cwd, form === 'thin' ? '_changes' : '_site');
  if (why !== undefined) terminal.line(why);
  const files = filesOf(values.config);
  const [file = configFile({}, io)] = files;
  const { report } = values;
  // A pattern means several sites, even if it matches one file today.
  const hasPattern = files.some((name) => !values.config.includes(name));
  if (files.length < 2 && !hasPattern) {
    const result = await buildSite({ file, output, report }, form, values, io, terminal);
    if (!result.error) {
      const isDeployed = deployTo !== undefined && hostOf(deployTo)?.form === 'thin';
      terminal.line(nextStep(output, io, form === 'thin' || isDeployed));
    }
    return result.exitCode;
  }
  if (files.length > 1) refuseForOneSite(values);
  const results: SiteResult[] = [];
  for (const site of sitesOf(files, output, report)) {
    if (signal.aborted) break;
    terminal.line(`\n${site.name} (${shownFolder(site.file, io)})`);
    // With --quiet, only warnings and errors are printed.
    const warn = (text: string) => terminal.warn(`${site.name}: ${text}`);
    try {
      const result = await buildSite(site, form, values, io, { ...terminal, warn });
      results.push({ name: site.name, ...result });
    } catch (error) {
      // Continue with the other sites.
      printFailure(error, io, values.debug, site.name);
      const exitCode = error instanceof AppError ? error.exitCode : EXIT.internal;
      results.push({ name: site.name, exitCode, report: undefined });
    }
  }
  signal.throwIfAborted();
  for (const line of ['', ...sitesSummary(results)]) terminal.line(line);
  return worst(results.map(({ exitCode }) => exitCode));
};

/** @throws {ConfigError} an option names vehicles or dealers, which belong to one site. */
function refuseForOneSite(values: BuildValues): void {
  const option = (['accept-loss', 'hide'] as const).find((name) => values[name].length > 0);
  if (option === undefined) return;
  throw new ConfigError({
    code: 'argument-one-site',
    what: `--${option} needs a single configuration.`,
    why: 'It applies to one site.',
    fix: `Name the file of that site with --config, and its folder with --output.`,
  });
}

/** Reads the value of `--for`, in milliseconds. @throws {ConfigError} it is not a duration. */
function readTimeLimit(text: string): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  throw new ConfigError({
    code: 'argument-for',
    what: `--for ${printable(text)} is not a length of time.`,
    why: 'It needs a number above zero and a unit: s, m, h or d.',
    fix: 'Use an hour less than the time limit of your CI job, such as --for 5h.',
  });
}

/** Builds one site and writes its report. */
async function buildSite(
  { name, file, output, report: reportFile }: Partial<Pick<Site, 'name'>> & Omit<Site, 'name'>,
  form: OutputForm,
  values: BuildValues,
  io: Io,
  terminal: Console,
): Promise<RunResult> {
  const { env, signal } = io;
  const timeLimit = values.for === undefined ? undefined : readTimeLimit(values.for);
  const result = await runAndReport({
    file,
    env,
    reportFile,
    place: shownFolder(output, io),
    summaryFile: ciEnvironment(env).stepSummary,
    output,
    form,
    cacheDir: values.cache,
    console: terminal,
    now: values.now,
    timeLimit,
    acceptLoss: values['accept-loss'],
    hide: values.hide,
    first: values.first,
    strict: values.strict,
    fromPublished: !values['no-from-published'],
    signal,
  });
  if (result.error) printFailure(result.error, io, values.debug, name);
  return result;
}
