import { tmpdir } from 'node:os';
import path from 'node:path';
import { enginesOf } from '../../config/engines.ts';
import { processEnvironment, readHashKey } from '../../config/environment.ts';
import {
  type HistoryConfig,
  type LoadedConfig,
  loadConfig,
  loadHistoryConfig,
} from '../../config/load.ts';
import { secretsOf, withoutSecrets } from '../../config/secret-search.ts';
import { ConfigError, EXIT, type ExitCode } from '../../errors.ts';
import { temporaryFolder } from '../../lib/files/temporary-folder.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import type { UserFiles } from '../../render/user-files.ts';
import { NO_CONTROL } from '../../stock/control.ts';
import type { DealerList } from '../../stock/list.ts';
import { type Finding, fromErrors, passedOn, type Severity } from '../findings.ts';
import { checkFilledIn, checkKeys, checkLegal, checkOpened } from './configuration.ts';
import { checkHost, checkSize, expectedSize } from './hosts.ts';
import { checkDisk, checkEnvFile, checkPlaces, checkWorkflows, type Places } from './machine.ts';
import { checkPages, checkUserFiles } from './pages.ts';
import { checkEmbeds, checkPictures } from './pictures.ts';
import { checkAccounts, checkService } from './service.ts';
import { checkLists, checkMatches } from './stock-lists.ts';
import { checkControl } from './vehicles.ts';

export interface DoctorOptions extends Places {
  /** Configuration file. */
  file: string;
  /** Destination of the site: an id in `hosts.ts`, `none`, or undefined if it is not decided. */
  deployTo: string | undefined;
  /** File with the keys. */
  envFile: string;
  /** Default: the environment of this process. */
  env?: NodeJS.ProcessEnv;
  now?: number;
  signal?: AbortSignal;
  onStep?: (text: string) => void;
}

export interface Examination {
  findings: Finding[];
  /** The configuration, if it could be read. Used to redact its keys. */
  config: HistoryConfig | undefined;
}

/** Checks everything that needs the service: responses, pictures, pages, sizes. Leaves no files behind. */
async function examineService(
  config: LoadedConfig,
  {
    userFiles,
    lists,
  }: { userFiles: UserFiles | undefined; lists: ReadonlyMap<number, DealerList> },
  { signal, onStep, now = Date.now(), ...options }: DoctorOptions,
): Promise<Finding[]> {
  await using temporary = await temporaryFolder('site-doctor-');
  const folder = temporary.path;
  const { findings, answered, ...service } = await checkService({
    config,
    folder,
    signal,
    onSubject: (name) => onStep?.(`Asking the service: ${name}`),
  });
  const { vehicles, ...control } = checkControl(config, userFiles?.control ?? NO_CONTROL, {
    vehicles: service.vehicles,
    answered,
  });
  findings.push(...control.findings, ...checkEmbeds(config, vehicles));
  findings.push(...checkMatches(config, lists, vehicles));
  signal?.throwIfAborted();
  onStep?.('Fetching sample pictures');
  const pictures = await checkPictures(config, vehicles, { folder, now, signal });
  signal?.throwIfAborted();
  findings.push(...pictures.findings);
  if (!userFiles) return findings;
  onStep?.('Making pages');
  const { media, thumbnails } = pictures;
  const pages = await checkPages(config, userFiles, {
    vehicles,
    answered,
    lists,
    media,
    now,
    signal,
  });
  findings.push(...pages.findings);
  // Without vehicles, every host fits. Reporting that would be misleading.
  if (!pages.size) return findings;
  const size = expectedSize(pages.size, thumbnails);
  findings.push(...checkDisk([options.cacheDir, options.output], size.bytes));
  findings.push(...checkSize(options.deployTo, size));
  return findings;
}

/** Whether a configuration is only for the history of sent videos. */
const isHistoryOnly = ({ site, dealers, accounts }: HistoryConfig): boolean =>
  !site && dealers.length === 0 && accounts.length > 0;

/** Checks everything that a pull of the history needs. */
async function examineHistory(
  config: HistoryConfig,
  { file, signal, onStep }: DoctorOptions,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const findings = [...checkFilledIn(config), ...checkKeys(config)];
  if (findings.length > 0) return findings;
  findings.push(
    ...(await fromErrors('config-wrong', async () => {
      await loadHistoryConfig({ file, keysFor: 'accounts', env });
      readHashKey(env);
    })),
  );
  const onSubject = (name: string) => onStep?.(`Asking the service: ${name}`);
  findings.push(...(await checkAccounts({ config, signal, onSubject })));
  signal?.throwIfAborted();
  return findings;
}

async function examineAll(options: DoctorOptions): Promise<Examination> {
  const { file, deployTo, signal, onStep } = options;
  const env = options.env ?? processEnvironment();
  const findings = await checkEnvFile(options.envFile);
  const readWrong = (problem: unknown): undefined => {
    if (!(problem instanceof ConfigError)) throw problem;
    findings.push(passedOn('config-wrong', problem));
  };
  const historyConfig = await loadHistoryConfig({ file, env }).catch(readWrong);
  if (historyConfig && isHistoryOnly(historyConfig)) {
    findings.push(...(await examineHistory(historyConfig, options, env)));
    return { findings, config: historyConfig };
  }
  const config = historyConfig && (await loadConfig({ file, env }).catch(readWrong));
  if (!config) return { findings, config: undefined };
  const hasFinding = (code: Finding['code']) => findings.some((finding) => finding.code === code);
  findings.push(...checkFilledIn(config), ...checkKeys(config));
  // Problems that only appear at the start of a build, such as tracing that would print keys.
  const hasKeys =
    !hasFinding('config-empty') && !hasFinding('key-missing') && !hasFinding('key-form');
  const atStart = await fromErrors('config-wrong', async () => {
    await loadConfig({ file, keysFor: hasKeys ? 'dealers' : 'none', env });
    enginesOf(env);
  });
  findings.push(...atStart);
  if (atStart.length > 0) return { findings, config };
  findings.push(...checkOpened(config, deployTo), ...checkLegal(config));
  findings.push(...(await checkPlaces(config, options)));
  findings.push(...checkDisk([options.cacheDir, options.output, tmpdir()]));
  findings.push(...(await checkHost(deployTo, env)));
  findings.push(...(await checkWorkflows(path.dirname(file), config, env)));
  onStep?.('Reading theme and lists');
  const { findings: listFindings, lists } = await checkLists(config);
  const { findings: fileFindings, userFiles } = await checkUserFiles(config, signal);
  findings.push(...listFindings, ...fileFindings);
  // The example service would not respond, and must not receive keys. The samples need space.
  if (!hasFinding('config-example') && !hasFinding('disk-full'))
    findings.push(...(await examineService(config, { userFiles, lists }, options)));
  return { findings, config };
}

/**
 * Examines machine, configuration, keys, the user's files, service, pictures, pages and host. Changes nothing.
 *
 * @throws {DOMException} `AbortError`: it was interrupted.
 */
export async function examine(options: DoctorOptions): Promise<Examination> {
  try {
    return await examineAll(options);
  } catch (problem) {
    // An interruption causes failures that are not problems of the service.
    options.signal?.throwIfAborted();
    throw problem;
  }
}

/** 2 if a finding is an error, otherwise 0. */
export function exitCodeOf(findings: readonly Finding[]): ExitCode {
  return findings.some(({ severity }) => severity === 'error') ? EXIT.config : EXIT.published;
}

const MARK: Record<Severity, string> = { error: 'ERROR  ', warning: 'Warning', info: 'ok     ' };

const countOf = (findings: readonly Finding[], severity: Severity): number =>
  findings.filter((finding) => finding.severity === severity).length;

/** Findings for a terminal: errors last, next to the prompt. */
function findingLines(findings: readonly Finding[]): string[] {
  const order: Severity[] = ['info', 'warning', 'error'];
  return order.flatMap((severity) =>
    findings
      .filter((finding) => finding.severity === severity)
      .flatMap(({ code, what, why, fix }) => {
        const first = `${MARK[severity]} ${what.replaceAll('\n', '\n        ')} [${code}]`;
        if (severity === 'info') return [first];
        return [
          first,
          `        Why: ${why.replaceAll('\n', '\n        ')}`,
          `        Do:  ${fix.replaceAll('\n', '\n        ')}`,
        ];
      }),
  );
}

/** All findings for a terminal, and their summary. Without information if `quiet`. */
export function doctorText({ findings, config }: Examination, quiet: boolean): string {
  const errors = countOf(findings, 'error');
  const warnings = countOf(findings, 'warning');
  const [fails, runs] =
    config && isHistoryOnly(config)
      ? ['"batches pull" would fail.', '"batches pull" can run.']
      : ['A build would fail or lose something.', 'A build can run.'];
  const verdict = errors > 0 ? fails : runs;
  const shownFindings = quiet ? findings.filter(({ severity }) => severity !== 'info') : findings;
  const summary = `${countText(errors, 'error')}, ${countText(warnings, 'warning')}. ${verdict}`;
  const text = [...findingLines(shownFindings), '', summary].join('\n');
  return withoutSecrets(text, config ? secretsOf(config) : []);
}

/** All findings as JSON. Stable: `version`, `ok`, and per finding `code`, `severity`, `args`. */
export function doctorJson({ findings, config }: Examination): string {
  const report = {
    version: 1,
    ok: exitCodeOf(findings) === EXIT.published,
    errors: countOf(findings, 'error'),
    warnings: countOf(findings, 'warning'),
    findings,
  };
  return withoutSecrets(JSON.stringify(report, null, 2), config ? secretsOf(config) : []);
}
