import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { enginesOf } from '../config/engines.ts';
import { loadConfig } from '../config/load.ts';
import { secretsOf, withoutSecrets } from '../config/secret-search.ts';
import { AppError, ConfigError, fromPlainError, toPlainError } from '../errors.ts';
import { reasonOf } from '../lib/files/system-errors.ts';
import type { Console } from '../lib/terminal/progress.ts';
import { checkReport } from './folder-checks/check.ts';
import type { RunOptions } from './options/run-options.ts';
import { makeReport, noResults } from './outcome/make-report.ts';
import { writeReport } from './report/report.ts';
import { summaryLines, summaryMarkdown } from './report/summary.ts';
import { type RunResult, runBuild } from './run.ts';

interface ReportedRun extends Omit<RunOptions, 'config' | 'engines'> {
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

/** Changes each text that may contain texts of the service. Counts, which progress lines have, stay unchanged. */
const redactedConsole = (console: Console, redact: (text: string) => string): Console => ({
  ...console,
  line: (text) => console.line(redact(text)),
  warn: (text) => console.warn(redact(text)),
});

/** Changes the texts of a result: the report, and the error. */
function redacted(result: RunResult, redact: (text: string) => string): RunResult {
  const change = <T>(value: T): T => JSON.parse(redact(JSON.stringify(value)));
  const { error, report } = result;
  const plain = error instanceof AppError ? toPlainError(error) : undefined;
  const hasKey = plain && redact(JSON.stringify(plain)) !== JSON.stringify(plain);
  return {
    ...result,
    report: change(report),
    error: hasKey ? fromPlainError(change(plain)) : error,
  };
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
  let redact = (text: string) => text;
  let mayWrite = false;
  try {
    checkReport(reportFile, run.output);
    mayWrite = true;
    const config = await loadConfig({ file, keysFor: 'dealers', env });
    const engines = enginesOf(env);
    const secrets = secretsOf(config, engines);
    redact = (text) => withoutSecrets(text, secrets);
    if (config.media.hosts.includes('*')) {
      console.warn('media.hosts contains "*": pictures are fetched from any public host.');
    }
    result = redacted(
      await runBuild({ ...run, console: redactedConsole(console, redact), config, engines }),
      redact,
    );
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
      writeReport(reportFile, report),
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
