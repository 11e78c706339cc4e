import { appendFile } from 'node:fs/promises';
import type { QueueAndStoreConfig } from '../../config/engines.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Secret } from '../../config/secret.ts';
import { secretsOf } from '../../config/secret-search.ts';
import { AppError, ConfigError, type ExitCode } from '../../errors.ts';
import { reasonOf } from '../../lib/files/system-errors.ts';
import type { Console } from '../../lib/terminal/progress.ts';
import { checkReportFile } from '../folder-checks/check.ts';
import { type BuildReport, writeReport } from '../report/report.ts';
import { summaryLines, summaryMarkdown } from '../report/summary.ts';
import { makeReport, noResults } from './make-report.ts';

export interface RunResult {
  exitCode: ExitCode;
  report: BuildReport;
  /** Why nothing was published. */
  error: unknown;
}

export interface OutcomeOptions {
  loadConfig: () => Promise<LoadedConfig>;
  /** Reads the settings of queue and store from the environment. */
  readEngines?: () => QueueAndStoreConfig;
  reportFile: string;
  /** Output folder, as shown to the user. */
  place: string;
  /** File for the job summary in CI. */
  summaryFile: string | undefined;
  console: Console;
  /** Milliseconds since 1970. */
  now?: number;
  /** Runs the build. Never throws. */
  run: (config: LoadedConfig, engines: QueueAndStoreConfig) => Promise<RunResult>;
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
export async function runAndReport(options: OutcomeOptions): Promise<RunResult> {
  const { console, reportFile, summaryFile, place } = options;
  let result: RunResult;
  let secrets: Secret[] = [];
  try {
    checkReportFile(reportFile);
    const config = await options.loadConfig();
    const engines = options.readEngines?.() ?? {};
    secrets = secretsOf(config, engines);
    if (config.media.hosts.includes('*')) {
      console.warn('media.hosts contains "*": pictures are fetched from any public host.');
    }
    result = await options.run(config, engines);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { exitCode } = error;
    const now = options.now ?? Date.now();
    const report = makeReport(noResults(), now, error, exitCode, performance.now());
    result = { exitCode, error, report };
  }
  const { report, error } = result;
  if (!(error instanceof AppError && error.code === 'report-unusable')) {
    await attempt(console, `The report ${reportFile} is of an earlier build. The new one`, () =>
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
