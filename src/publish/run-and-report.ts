import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { enginesOf } from '../config/engines.ts';
import { loadConfig } from '../config/load.ts';
import type { Secret } from '../config/secret.ts';
import { secretsOf } from '../config/secret-search.ts';
import { ConfigError } from '../errors.ts';
import { reasonOf } from '../lib/files/system-errors.ts';
import type { Console } from '../lib/terminal/progress.ts';
import { checkReport } from './folder-checks/check.ts';
import { makeReport, noResults } from './outcome/make-report.ts';
import { writeReport } from './report/report.ts';
import { summaryLines, summaryMarkdown } from './report/summary.ts';
import { type RunOptions, type RunResult, runBuild } from './run.ts';

export interface ReportedRun extends Omit<RunOptions, 'config' | 'engines'> {
  /** Configuration file. */
  file: string;
  /** Has the keys, and the settings of queue and store. */
  env: NodeJS.ProcessEnv;
  reportFile: string;
  /** Output folder, as shown to the user. */
  place: string;
  /** File for the job summary in CI. */
  summaryFile?: string;
}

/** Writes one form of the report. A failure is only a warning, and does not change the outcome. */
async function attempt(console: Console, what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    console.warn(`${what} could not be written. ${reasonOf(error)}`);
  }
}

/** Runs a build, and reports it in the report file, on the terminal and in the job summary. */
export async function runAndReport({
  file,
  env,
  reportFile,
  place,
  summaryFile,
  ...run
}: ReportedRun): Promise<RunResult> {
  const { console } = run;
  let result: RunResult;
  let secrets: Secret[] = [];
  let mayWrite = false;
  try {
    checkReport(reportFile, run.output);
    mayWrite = true;
    const config = await loadConfig({ file, keysFor: 'dealers', env });
    const engines = enginesOf(env);
    secrets = secretsOf(config, engines);
    if (config.media.hosts.includes('*')) {
      console.warn('media.hosts contains "*": pictures are fetched from any public host.');
    }
    result = await runBuild({ ...run, config, engines });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { exitCode } = error;
    const now = run.now ?? Date.now();
    const report = makeReport(noResults(), now, error, exitCode, performance.now());
    result = { exitCode, error, report };
  }
  const { report } = result;
  if (mayWrite) {
    const earlier = existsSync(reportFile) ? ' is of an earlier build. The new one' : '';
    await attempt(console, `The report ${reportFile}${earlier}`, () =>
      writeReport(reportFile, report, secrets),
    );
  }
  for (const line of summaryLines(report, place)) console.line(line);
  if (summaryFile) {
    await attempt(console, `The job summary ${summaryFile}`, () =>
      appendFile(summaryFile, summaryMarkdown(report, place)),
    );
  }
  return result;
}
