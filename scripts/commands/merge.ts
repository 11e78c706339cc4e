import path from 'node:path';
import { configFile } from '../../src/cli/shared/config-file.ts';
import { nextStep, printFailure, shownFolder } from '../../src/cli/shared/outcome.ts';
import { ciEnvironment } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { createConsole } from '../../src/lib/terminal/progress.ts';
import { checkReport } from '../../src/publish/folder-checks/check.ts';
import { runAndReport } from '../../src/publish/outcome/run-and-report.ts';
import { mergeShards } from '../../src/publish/shards/merge.ts';
import type { MERGE_OPTIONS } from './definitions/merge.ts';

export const run: Run<typeof MERGE_OPTIONS> = async ({ values, words }, io) => {
  if (words.length === 0) {
    throw new ConfigError({
      code: 'argument-missing',
      what: 'No folder of a part is named.',
      why: 'A site is put together from the output folders of npm run build -- --shard.',
      fix: 'Name all of them, such as npm run merge -- parts/*.',
    });
  }
  const { env, cwd, stdout, signal } = io;
  const { output, report: reportFile } = values;
  const around = ciEnvironment(env);
  const terminal = createConsole({
    stream: stdout,
    quiet: values.quiet,
    githubActions: around.githubActions,
  });
  checkReport(reportFile, output);
  const result = await runAndReport({
    loadConfig: () => loadConfig({ file: configFile(values, io), keysFor: 'dealers', env }),
    reportFile,
    place: shownFolder(output, io),
    summaryFile: around.stepSummary,
    console: terminal,
    run: (config) =>
      mergeShards({
        config,
        folders: words.map((folder) => path.resolve(cwd, folder)),
        output,
        console: terminal,
        strict: values.strict,
        signal,
      }),
  });
  if (result.error) printFailure(result.error, io, values);
  else terminal.line(nextStep(output, io));
  return result.exitCode;
};
