import path from 'node:path';
import { indexNowAddress } from '../config/deploy-settings.ts';
import { ciEnvironment, deployTarget } from '../config/environment.ts';
import { deploy, releases, rollback } from '../deploy/deploy.ts';
import { loadHost } from '../deploy/hosts.ts';
import { summaryOf } from '../deploy/report.ts';
import { ConfigError, EXIT } from '../errors.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { SYSTEM_CLOCK } from '../lib/http/http.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import type { DEPLOY_OPTIONS } from './options.ts';
import { builtFolders } from './shared.ts';

export const run: Run<typeof DEPLOY_OPTIONS> = async ({ values, positionals }, io) => {
  const { json } = values;
  const { stdout, stderr, env, cwd, signal } = io;
  if (positionals.length > (values.rollback ? 1 : 0)) {
    throw new ConfigError({
      code: 'argument-unknown',
      what: 'There are too many arguments.',
      why: 'Only --rollback takes one: the id of a deploy, as --releases lists it.',
      fix: '--help lists all options.',
    });
  }
  const host = await loadHost(values.to ?? deployTarget(env), env);
  const terminal = createConsole({
    // Programs read standard output as JSON, so progress for people goes to standard error.
    stream: json ? stderr : stdout,
    quiet: values.quiet,
    githubActions: ciEnvironment(env).githubActions && !json,
  });
  const options = {
    host,
    takeOver: values['take-over'],
    signal,
    clock: SYSTEM_CLOCK,
    console: terminal,
  };
  const print = (value: unknown) => stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  if (values.releases) {
    const deploys = await releases(options);
    if (json) print(deploys);
    else if (deploys.length === 0) terminal.line('The host keeps no earlier deploys.');
    else
      for (const { id, at, isLive } of deploys)
        stdout.write(`${id}  ${at}${isLive ? '  live' : ''}\n`);
    return EXIT.published;
  }
  if (values.rollback) {
    const release = await rollback(positionals[0], options);
    if (json) print(release);
    else
      terminal.line(
        `The deploy ${release.id} of ${release.at} is live again, until the next deploy.`,
      );
    return EXIT.published;
  }
  const { report, error } = await deploy({
    ...options,
    folder: values.folder ?? folderIn(cwd),
    dryRun: values['dry-run'],
    verify: values['no-check'] !== true,
    indexNow: indexNowAddress(env),
  });
  terminal.finish();
  if (report.sent || report.planned) terminal.line(summaryOf(report));
  if (json) print(report);
  if (error !== undefined) throw error;
  return EXIT.published;
};

/** @throws {ConfigError} both folders exist, and the user chose neither. */
function folderIn(cwd: string): string {
  const [folder = '_site', other] = builtFolders(cwd);
  if (other === undefined) return path.join(cwd, folder);
  throw new ConfigError({
    code: 'deploy-which',
    what: `Found two sites to deploy: ${folder} and ${other}.`,
    why: 'It is unclear which one you want.',
    fix: 'Choose one with --folder, or delete the other.',
  });
}
