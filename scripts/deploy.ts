import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  ciEnvironment,
  defaultConfigFile,
  deploySettings,
  deployTarget,
  indexNowAddress,
  loadConfig,
} from '../src/config/load.ts';
import { type DeployOptions, deploy, releases, rollback, summaryOf } from '../src/deploy/deploy.ts';
import { folderUnclear, wrongTarget } from '../src/deploy/host-api/errors.ts';
import type { HostId } from '../src/deploy/host-api/types.ts';
import { DEPLOY_HOSTS, type LoadedHost, loadHost } from '../src/deploy/hosts.ts';
import { ConfigError, EXIT } from '../src/errors.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { CHANGES } from '../src/record/changes.ts';
import { runCommand } from './cli.ts';

const usage = `
Brings what a build made to a host: asks what it lacks and sends that, removes what an earlier deploy
sent and the site has no more, and ends when the live site is the one that was sent.

npm run deploy -- [options]
  --to HOST        ${DEPLOY_HOSTS.join(', ')}; default: the variable DEPLOY_TO
  --folder DIR     what the build made; default _changes or _site, whichever is there
  --into DIR       folder of the server, for --to folder; default: the variable DEPLOY_FOLDER
  --dry-run        only say what would be sent and removed
  --no-check       do not look at the live site afterwards
  --take-over      replace what something else put there, and newer sites
  --releases       list the deploys that the host still has
  --rollback [ID]  show a former deploy again; without its id the one before the live one
  --json           what was done, as JSON on standard output
  --quiet          only warnings and errors

From the environment: NETLIFY_AUTH_TOKEN, NETLIFY_SITE_ID; CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID,
CLOUDFLARE_WORKER; S3_BUCKET, S3_ENDPOINT, S3_REGION, S3_PREFIX, AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY. NETLIFY_API_URL, CLOUDFLARE_API_URL and INDEXNOW_URL: other addresses of theirs.
Exit codes: 0 deployed, 2 settings, 3 refused, 4 unreachable, 5 nothing to deploy, or a check refused.
`;

await runCommand(
  {
    usage,
    takesWords: true,
    options: {
      to: { type: 'string' },
      folder: { type: 'string' },
      into: { type: 'string' },
      'dry-run': { type: 'boolean' },
      'no-check': { type: 'boolean' },
      'take-over': { type: 'boolean' },
      releases: { type: 'boolean' },
      rollback: { type: 'boolean' },
      json: { type: 'boolean' },
      quiet: { type: 'boolean' },
    },
  },
  async ({ values, positionals }, signal) => {
    const json = values.json === true;
    if (positionals.length > (values.rollback ? 1 : 0)) throw strayWords();
    const loaded = await hostOf(values);
    const terminal = createConsole({
      // What is read by programs is not mixed with what is read by people.
      stream: json ? process.stderr : process.stdout,
      quiet: values.quiet === true,
      githubActions: ciEnvironment().githubActions && !json,
    });
    const options = {
      ...loaded,
      takeOver: values['take-over'] === true,
      signal,
      onEvent: (event: Parameters<DeployOptions['onEvent']>[0]) => {
        if (event.kind === 'line') terminal.line(event.text);
        else if (event.kind === 'warning') terminal.warn(event.text);
        else terminal.progress(event.text, event.total > 0 ? event.done / event.total : 1);
      },
    };
    const print = (value: unknown) => console.log(JSON.stringify(value, null, 2));
    if (values.releases) {
      const found = await releases(options);
      if (json) print(found);
      else if (found.length === 0) terminal.line('The host keeps no former deploys.');
      else
        for (const { id, at, isLive } of found)
          console.log(`${id}  ${at}${isLive ? '  live' : ''}`);
      return EXIT.published;
    }
    if (values.rollback) {
      const shown = await rollback(positionals[0], options);
      if (json) print(shown);
      else terminal.line(`The deploy ${shown.id} of ${shown.at} is live again.`);
      return EXIT.published;
    }
    const { report, error } = await deploy({
      ...options,
      folder: folderNamed(values.folder),
      site: siteOfConfiguration,
      dryRun: values['dry-run'] === true,
      look: values['no-check'] !== true,
      indexNow: indexNowAddress(),
    });
    terminal.finish();
    if (report.sent || report.planned) terminal.line(summaryOf(report));
    if (json) print(report);
    if (error !== undefined) throw error;
    return EXIT.published;
  },
);

/** @throws {ConfigError} it is none that is known, or its settings are wrong. */
async function hostOf(values: { to?: string; into?: string }): Promise<LoadedHost> {
  const to = values.to ?? deployTarget();
  const id = DEPLOY_HOSTS.find((host) => host === to);
  if (id === undefined) throw wrongTarget(to, DEPLOY_HOSTS);
  if (id === 'folder' && values.into !== undefined) return loadHost(id, { into: values.into });
  if (values.into !== undefined) {
    throw new ConfigError({
      code: 'argument-into',
      what: `--into belongs to --to folder, and this deploys to ${id}.`,
      fix: 'Leave --into out, or deploy to a folder.',
    });
  }
  const load = <H extends HostId>(host: H) => loadHost(host, deploySettings(host));
  return load(id);
}

/** @throws {ConfigError} none is named, and there are two. */
function folderNamed(given: string | undefined): string {
  if (given !== undefined) return path.resolve(given);
  const there = ['_changes', '_site'].filter(
    (folder) =>
      existsSync(path.join(folder, CHANGES)) || existsSync(path.join(folder, 'index.html')),
  );
  const [one = '_site', other] = there;
  if (other !== undefined) throw folderUnclear(one, other);
  return path.resolve(one);
}

/** A whole site does not say its address; the configuration does, where it is at hand. */
async function siteOfConfiguration(): Promise<string | undefined> {
  const file = defaultConfigFile();
  return existsSync(file) ? (await loadConfig({ file })).site.url : undefined;
}

function strayWords(): ConfigError {
  return new ConfigError({
    code: 'argument-unknown',
    what: 'There are words that belong to no flag.',
    why: 'Only --rollback takes one: the id of a deploy, as --releases lists it.',
    fix: '--help lists what the command takes.',
  });
}
