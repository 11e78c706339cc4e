import { tmpdir } from 'node:os';
import path from 'node:path';
import { enginesOf } from '../../config/engines.ts';
import { readHashKey } from '../../config/environment.ts';
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
import { type Check, type Finding, fromErrors, passedOn, type Severity } from '../findings.ts';
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
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  onStep?: (text: string) => void;
}

export interface Examination {
  findings: Finding[];
  /** The configuration, if it could be read. Used to redact its keys. */
  config: HistoryConfig | undefined;
}

/** Checks everything that needs the service: responses, pictures, pages, sizes. Leaves no files behind. */
async function* examineService(
  config: LoadedConfig,
  userFiles: UserFiles | undefined,
  lists: ReadonlyMap<number, DealerList>,
  { signal, onStep, ...options }: DoctorOptions,
): Check {
  await using temporary = await temporaryFolder('site-doctor-');
  const folder = temporary.path;
  const onSubject = (name: string) => onStep?.(`Asking the service: ${name}`);
  const { findings, ...stock } = await checkService({ config, folder, signal, onSubject });
  yield* findings;
  const vehicles = yield* checkControl(config, userFiles?.control ?? NO_CONTROL, stock);
  yield* checkEmbeds(config, vehicles);
  yield* checkMatches(config, lists, vehicles);
  signal?.throwIfAborted();
  onStep?.('Fetching sample pictures');
  const { media, thumbnails } = yield* checkPictures(config, vehicles, { folder, signal });
  signal?.throwIfAborted();
  if (!userFiles) return;
  onStep?.('Making pages');
  const { answered } = stock;
  const pages = { vehicles, answered, lists, media, signal };
  const pagesSize = yield* checkPages(config, userFiles, pages);
  // Without vehicles, every host fits. Reporting that would be misleading.
  if (!pagesSize) return;
  const size = expectedSize(pagesSize, thumbnails);
  yield* checkDisk([options.cacheDir, options.output], size.bytes);
  yield* checkSize(options.deployTo, size);
}

/** Whether a configuration is only for the history of sent videos. */
const isHistoryOnly = ({ site, dealers, accounts }: HistoryConfig): boolean =>
  !site && dealers.length === 0 && accounts.length > 0;

/** Checks everything that a pull of the history needs. */
async function* examineHistory(
  config: HistoryConfig,
  { file, env, signal, onStep }: DoctorOptions,
): Check {
  const findings = [...checkFilledIn(config), ...checkKeys(config, env)];
  yield* findings;
  if (findings.length > 0) return;
  yield* fromErrors('config-wrong', async () => {
    await loadHistoryConfig({ file, keysFor: 'accounts', env });
    readHashKey(env);
  });
  const onSubject = (name: string) => onStep?.(`Asking the service: ${name}`);
  yield* await checkAccounts({ config, signal, onSubject });
  signal?.throwIfAborted();
}

/** Checks everything that a build of the site needs. @param found the findings so far. */
async function* examineSite(
  config: LoadedConfig,
  options: DoctorOptions,
  found: readonly Finding[],
): Check {
  const { file, env, deployTo, onStep } = options;
  const isFound = (...codes: Finding['code'][]) => found.some(({ code }) => codes.includes(code));
  yield* checkFilledIn(config);
  yield* checkKeys(config, env);
  // Problems that only appear at the start of a build, such as tracing that would print keys.
  const keysFor = isFound('config-empty', 'key-missing', 'key-form') ? 'none' : 'dealers';
  const canStart = yield* fromErrors('config-wrong', async () => {
    await loadConfig({ file, keysFor, env });
    enginesOf(env);
  });
  if (!canStart) return;
  yield* checkOpened(config, deployTo);
  yield* checkLegal(config);
  yield* checkPlaces(config, options);
  yield* checkDisk([options.cacheDir, options.output, tmpdir()]);
  yield* checkHost(deployTo, env);
  yield* checkWorkflows(path.dirname(file), config, env);
  onStep?.('Reading theme and lists');
  const lists = yield* checkLists(config);
  const userFiles = yield* checkUserFiles(config);
  // The example service would not respond, and must not receive keys. The samples need space.
  if (isFound('config-example', 'disk-full')) return;
  yield* examineService(config, userFiles, lists, options);
}

/**
 * Examines machine, configuration, keys, the user's files, service, pictures, pages and host. Changes nothing.
 *
 * @throws {DOMException} `AbortError`: it was interrupted.
 */
export async function examine(options: DoctorOptions): Promise<Examination> {
  const { file, env, signal } = options;
  const findings: Finding[] = [];
  const collect = async (check: AsyncIterable<Finding>) => {
    for await (const found of check) findings.push(found);
  };
  const readWrong = (problem: unknown): undefined => {
    if (!(problem instanceof ConfigError)) throw problem;
    findings.push(passedOn('config-wrong', problem));
  };
  try {
    await collect(checkEnvFile(options.envFile));
    const historyConfig = await loadHistoryConfig({ file, env }).catch(readWrong);
    if (historyConfig && isHistoryOnly(historyConfig)) {
      await collect(examineHistory(historyConfig, options));
      return { findings, config: historyConfig };
    }
    const config = historyConfig && (await loadConfig({ file, env }).catch(readWrong));
    if (config) await collect(examineSite(config, options, findings));
    return { findings, config };
  } catch (problem) {
    // An interruption causes failures that are not problems of the service.
    signal?.throwIfAborted();
    throw problem;
  }
}

/** 2 if a finding is an error, otherwise 0. */
export const exitCodeOf = (findings: readonly Finding[]): ExitCode =>
  findings.some(({ severity }) => severity === 'error') ? EXIT.config : EXIT.published;

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
