import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { secretsOf } from '../../config/build-secrets.ts';
import { enginesOf } from '../../config/engines.ts';
import { processEnvironment } from '../../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
import { ConfigError, EXIT, type ExitCode, GateError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import type { OwnFiles } from '../../render/own-files.ts';
import { type Finding, finding, passedOn } from '../findings.ts';
import type { Severity } from '../messages.ts';
import { checkDeploys, checkRecordsServed } from './deploys.ts';
import { checkKeys } from './keys.ts';
import { checkLegal } from './legal.ts';
import { checkDisk, checkEnvFile } from './machine.ts';
import { checkOpened } from './opened.ts';
import { checkOwnFiles, checkPages } from './own-files.ts';
import { checkEmbeds, checkPictureDownloads } from './pictures.ts';
import { checkPlaces, type Places } from './places.ts';
import { checkService } from './service.ts';
import { checkHost, expectedSize } from './size.ts';
import { checkWorkflows } from './workflows.ts';

export interface DoctorOptions extends Places {
  /** Configuration file. */
  file: string;
  /** Where the site goes: an id of `hosts.ts`, `none`, or undefined where it is not decided. */
  deployTo: string | undefined;
  /** File with the keys. */
  envFile: string;
  /** The environment; that of this process, where it is not given. */
  env?: NodeJS.ProcessEnv;
  now?: number;
  signal?: AbortSignal;
  onStep?: (text: string) => void;
}

export interface Examination {
  findings: Finding[];
  /** The configuration, where it could be read; for redacting its keys. */
  config: LoadedConfig | undefined;
}

const isExample = (address: string): boolean => /\.example$/.test(new URL(address).hostname);

async function readConfiguration({ file, env }: DoctorOptions): Promise<Examination> {
  try {
    const config = await loadConfig({ file, env });
    const findings: Finding[] = [];
    for (const [code, setting, address] of [
      ['config-example', 'service.baseUrl', config.service.baseUrl],
      ['site-example', 'site.url', config.site.url],
    ] as const) {
      const what = `${setting} is still the example ${address}.`;
      if (isExample(address)) findings.push(finding(code, { address }, what));
    }
    if (config.dealers.length === 0)
      findings.push(finding('config-empty', {}, 'dealers is empty.'));
    return { findings, config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { findings: [passedOn('config-wrong', error)], config: undefined };
  }
}

/** What only shows once a build begins, such as tracing that would print keys. */
async function checkSurroundings(
  { file, env }: DoctorOptions,
  keysFor: 'dealers' | 'none',
): Promise<Finding[]> {
  try {
    await loadConfig({ file, keysFor, env });
    enginesOf(env ?? processEnvironment());
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [passedOn('config-wrong', error)];
  }
}

/** What an interruption cuts off fails, and would be told as if the service were at fault. */
function stopIfInterrupted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new GateError({
    code: 'doctor-interrupted',
    what: 'The doctor was interrupted.',
    why: 'A person or the scheduler stopped it.',
    fix: 'Run it again; nothing was changed.',
  });
}

/** Everything that needs the service: answers, pictures, sizes. Leaves nothing behind. */
async function examineService(
  config: LoadedConfig,
  own: OwnFiles | undefined,
  options: DoctorOptions,
): Promise<Finding[]> {
  const { signal, onStep, now = Date.now() } = options;
  const folder = await mkdtemp(path.join(tmpdir(), 'site-doctor-'));
  try {
    const { findings, vehicles, answered } = await checkService({
      config,
      folder,
      signal,
      onSubject: (name) => onStep?.(`Asking the service: ${name}`),
    });
    findings.push(...checkEmbeds(config, vehicles));
    stopIfInterrupted(signal);
    onStep?.('Fetching sample pictures');
    const pictures = await checkPictureDownloads({ config, vehicles, folder, now, signal });
    stopIfInterrupted(signal);
    findings.push(...pictures.findings);
    if (own) {
      onStep?.('Making pages');
      const { media } = pictures;
      const made = { config, own, vehicles, answered, media, folder, now, signal };
      findings.push(...(await checkPages(made)));
    }
    const size = expectedSize(config, vehicles, pictures.thumbnails, own?.facts);
    findings.push(...(await checkDisk(options.cacheDir, size.bytes)));
    // Without vehicles every host fits, and saying so would mislead.
    if (vehicles.length > 0) findings.push(...checkHost(options.deployTo, size));
    else if (options.deployTo !== undefined) {
      findings.push(
        ...checkHost(options.deployTo, size).filter(({ code }) => code === 'host-unknown'),
      );
    }
    return findings;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function examineAll(options: DoctorOptions): Promise<Examination> {
  const findings = await checkEnvFile(options.envFile);
  const { findings: ofConfig, config } = await readConfiguration(options);
  findings.push(...ofConfig);
  if (!config) return { findings, config };
  const ofKeys = checkKeys(config);
  findings.push(...ofKeys);
  const hasKeys = config.dealers.length > 0 && exitCodeOf(ofKeys) === EXIT.published;
  const ofSurroundings = await checkSurroundings(options, hasKeys ? 'dealers' : 'none');
  findings.push(...ofSurroundings);
  if (ofSurroundings.length > 0) return { findings, config };
  findings.push(...checkOpened(config, options.deployTo));
  findings.push(...(await checkPlaces(config, options)));
  findings.push(...(await checkDeploys(options)));
  findings.push(...(await checkWorkflows(path.dirname(options.file), config, options.env)));
  options.onStep?.('Reading theme and lists');
  const { findings: ofFiles, own } = await checkOwnFiles(config, options.signal);
  findings.push(...ofFiles);
  findings.push(...checkLegal(config));
  // Nothing is asked where asking is pointless, or would give a key away.
  if (ofConfig.some(({ code }) => code === 'config-example')) return { findings, config };
  findings.push(...(await examineService(config, own, options)));
  if (!ofConfig.some(({ code }) => code === 'site-example')) {
    findings.push(...(await checkRecordsServed(config, options.signal)));
  }
  return { findings, config };
}

/**
 * Examines machine, configuration, keys, the files that belong to it, service, pictures, pages and
 * host. Changes nothing.
 *
 * @throws {GateError} it was interrupted.
 */
export async function examine(options: DoctorOptions): Promise<Examination> {
  try {
    return await examineAll(options);
  } catch (problem) {
    stopIfInterrupted(options.signal);
    throw problem;
  }
}

/** 0 where no finding is an error, else 2. */
export function exitCodeOf(findings: readonly Finding[]): ExitCode {
  return findings.some(({ severity }) => severity === 'error') ? EXIT.config : EXIT.published;
}

const MARK: Record<Severity, string> = { error: 'ERROR  ', warning: 'Warning', info: 'ok     ' };

const countOf = (findings: readonly Finding[], severity: Severity): number =>
  findings.filter((one) => one.severity === severity).length;

/** Findings for a terminal: errors last, where they are seen. */
function findingLines(findings: readonly Finding[]): string[] {
  const order: Severity[] = ['info', 'warning', 'error'];
  return order.flatMap((severity) =>
    findings
      .filter((one) => one.severity === severity)
      .flatMap((one) => {
        const { what, why, fix } = one;
        const first = `${MARK[severity]} ${what.replaceAll('\n', '\n        ')} [${one.code}]`;
        if (severity === 'info') return [first];
        return [
          first,
          `        Why: ${why.replaceAll('\n', '\n        ')}`,
          `        Do:  ${fix.replaceAll('\n', '\n        ')}`,
        ];
      }),
  );
}

/** All findings for a terminal, and what they come to; without information if `quiet`. */
export function doctorText({ findings, config }: Examination, quiet: boolean): string {
  const errors = countOf(findings, 'error');
  const warnings = countOf(findings, 'warning');
  const verdict = errors > 0 ? 'A build would fail or lose something.' : 'A build can run.';
  const shown = quiet ? findings.filter(({ severity }) => severity !== 'info') : findings;
  const summary = `${countText(errors, 'error')}, ${countText(warnings, 'warning')}. ${verdict}`;
  return withoutSecrets([...findingLines(shown), '', summary].join('\n'), config);
}

const withoutSecrets = (text: string, config: LoadedConfig | undefined): string =>
  (config ? secretsOf(config) : []).reduce((safe, secret) => secret.redact(safe), text);

/** All findings for machines. Promised: `version`, `ok`, and per finding `code`, `severity`, `args`. */
export function doctorJson({ findings, config }: Examination): string {
  const found = {
    version: 1,
    ok: exitCodeOf(findings) === EXIT.published,
    errors: countOf(findings, 'error'),
    warnings: countOf(findings, 'warning'),
    findings,
  };
  return withoutSecrets(JSON.stringify(found, null, 2), config);
}
