import path from 'node:path';
import { HOST_IDS } from '../src/config/hosts.ts';
import {
  ciEnvironment,
  defaultCacheFolder,
  defaultConfigFile,
  deployTarget,
} from '../src/config/load.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { doctorJson, doctorLines, examine, exitCodeOf } from '../src/setup/doctor/doctor.ts';
import { runCommand } from './cli.ts';

const usage = `
Checks everything that a build needs, and changes nothing: Node and disk, the configuration, the
keys, theme, stock lists, logos and extension, whether the service answers for each dealer and
account and how its answers fit, whether pictures can be had and pages be made, whether the site fits
your host, and what npm run deploy would lack on this machine.

npm run doctor -- [options]
  --config FILE   configuration (.ts, .js or .json); default site.config.ts
  --output DIR    the folder that builds publish; default _site
  --cache DIR     where builds keep their thumbnails; default .cache
  --report FILE   the report of builds; default build-report.json
  --host HOST     ${HOST_IDS.join(', ')}; default: the variable DEPLOY_TO
  --json          findings as JSON
  --quiet         errors and warnings only

Exit codes: 0 no error, 2 at least one error. docs/doctor.md explains every code.
`;

await runCommand(
  {
    usage,
    options: {
      config: { type: 'string' },
      output: { type: 'string', default: '_site' },
      cache: { type: 'string' },
      report: { type: 'string', default: 'build-report.json' },
      host: { type: 'string' },
      json: { type: 'boolean' },
      quiet: { type: 'boolean' },
    },
  },
  async ({ values }, signal) => {
    const around = ciEnvironment();
    const progress = createConsole({
      stream: process.stderr,
      quiet: values.quiet === true || values.json === true,
      githubActions: around.githubActions,
    });
    const { findings, config } = await examine({
      file: values.config ?? defaultConfigFile(),
      output: path.resolve(values.output),
      cacheDir: path.resolve(values.cache ?? defaultCacheFolder()),
      report: path.resolve(values.report),
      deployTo: values.host ?? deployTarget(),
      envFile: path.resolve('.env'),
      signal,
      onStep: (text) => progress.progress(text),
    });
    progress.finish();
    const shown = values.quiet ? findings.filter(({ severity }) => severity !== 'info') : findings;
    const text = values.json
      ? JSON.stringify(doctorJson(findings), null, 2)
      : doctorLines(shown).join('\n');
    const secrets = [...(config?.dealers ?? []), ...(config?.accounts ?? [])];
    console.log(secrets.reduce((safe, { apiKey }) => apiKey.redact(safe), text));
    return exitCodeOf(findings);
  },
);
