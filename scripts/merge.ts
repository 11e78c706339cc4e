import path from 'node:path';
import { ciEnvironment, defaultConfigFile, loadConfig } from '../src/config/load.ts';
import { ConfigError } from '../src/errors.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { checkReport } from '../src/publish/folders/check.ts';
import { runAndReport } from '../src/publish/outcome.ts';
import { mergeShards } from '../src/publish/shards/merge.ts';
import { placeText, runCommand, tellFailure } from './cli.ts';

const usage = `
Puts the parts that npm run build -- --shard made together: the site is the same, byte for byte, as
one that is built whole. Makes front page, search, sitemap index and report, verifies all, and only
then replaces the published folder. A missing or torn part, or one of another run, is refused.

npm run merge -- DIR… [options]
  --config FILE        configuration (.ts, .js or .json); default site.config.ts
  --output DIR         published folder; default _site
  --report FILE        what all parts did, as JSON; default build-report.json
  --strict             exit code 8 where a person is needed; it is published all the same
  --quiet              only warnings and errors

Exit codes: 0 published, 1 fault of this program, 2 configuration, 3 refused by the service,
4 service unreachable, 5 a check refused, 6 a secret was found, 8 a person is needed (with --strict).
`;

await runCommand(
  {
    usage,
    takesWords: true,
    options: {
      config: { type: 'string' },
      output: { type: 'string', default: '_site' },
      report: { type: 'string', default: 'build-report.json' },
      strict: { type: 'boolean' },
      quiet: { type: 'boolean' },
    },
  },
  async ({ values, positionals }, signal) => {
    if (positionals.length === 0) {
      throw new ConfigError({
        code: 'argument-missing',
        what: 'No folder of a part is named.',
        why: 'A site is put together from the output folders of npm run build -- --shard.',
        fix: 'Name all of them, such as npm run merge -- parts/*.',
      });
    }
    const around = ciEnvironment();
    const terminal = createConsole({
      stream: process.stdout,
      quiet: values.quiet === true,
      githubActions: around.githubActions,
    });
    const reportFile = path.resolve(values.report);
    checkReport(reportFile, path.resolve(values.output));
    const result = await runAndReport({
      loadConfig: () =>
        loadConfig({ file: values.config ?? defaultConfigFile(), keysFor: 'dealers' }),
      reportFile,
      summaryFile: around.stepSummary,
      console: terminal,
      run: (config) =>
        mergeShards({
          config,
          folders: positionals.map((folder) => path.resolve(folder)),
          output: path.resolve(values.output),
          console: terminal,
          strict: values.strict === true,
          signal,
        }),
    });
    if (result.error) tellFailure(result.error);
    else terminal.line(placeText(values.output));
    return result.exitCode;
  },
);
