/** The sites of one build: several configurations, each with a separate folder and report. */
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, type ExitCode } from '../errors.ts';
import { privateFolder } from '../publish/finish/private-feeds.ts';
import { checkSiteFolder } from '../publish/folder-checks/site-folder.ts';
import type { BuildReport } from '../publish/report/report.ts';

export interface Site {
  /** From the name of its file: `northgate` for `sites/northgate.config.ts`. */
  name: string;
  file: string;
  output: string;
  report: string;
}

/** The files of `--config`. Not every shell expands patterns. */
export const filesOf = (patterns: readonly string[]): string[] =>
  patterns.flatMap((file) => {
    if (existsSync(file) || !/[*?[{]/.test(file)) return file;
    const matches = globSync(file).sort();
    if (matches.length > 0) return matches;
    throw new ConfigError({
      code: 'config-pattern',
      what: `No configuration matches ${file}.`,
      fix: 'Check the pattern of --config. A relative pattern counts from the working directory.',
    });
  });

/**
 * The sites of several configurations.
 *
 * @param output gets a folder for each site.
 * @throws {ConfigError} two sites would use the same folder, or `output` is the folder of a single site.
 */
export function sitesOf(files: readonly string[], output: string, report: string): Site[] {
  const owners = new Map<string, string>();
  const { dir, name: base, ext } = path.parse(report);
  if (existsSync(path.join(output, 'index.html'))) {
    checkSiteFolder(output);
    throw new ConfigError({
      code: 'sites-output',
      what: `${output} holds a single site.`,
      why: 'A build of several sites creates a folder for each site in it, and these folders would be published with that site.',
      fix: 'Move it away, or choose another folder with --output.',
    });
  }
  return files.map((file) => {
    const name = path.basename(file).replace(/(?:\.config)?\.[a-z]+$/i, '');
    const folder = path.join(output, name);
    // Some file systems do not distinguish capital letters.
    for (const target of [folder, privateFolder(folder)].map((name) => name.toLowerCase())) {
      const owner = owners.get(target);
      if (owner !== undefined) {
        throw new ConfigError({
          code: 'sites-names',
          what: `The sites of ${owner} and ${file} would use the same folder.`,
          why: 'Each site is named after its file.',
          fix: 'Rename one of the files.',
        });
      }
      owners.set(target, file);
    }
    return { name, file, output: folder, report: path.join(dir, `${base}-${name}${ext}`) };
  });
}

export interface SiteResult {
  name: string;
  exitCode: ExitCode;
  /** Undefined if the program failed. */
  report: BuildReport | undefined;
}

function resultText({ exitCode, report }: SiteResult): string {
  if (!report) return 'failed: internal error';
  if (report.problem) {
    const { what, code } = report.problem;
    // The other lines are above the summary.
    return `not published: ${what.split('\n')[0]} [${code}]`;
  }
  const vehicles = report.dealers.reduce((sum, dealer) => sum + dealer.vehicles.used, 0);
  return `${report.outcome}, vehicles: ${vehicles}${exitCode === 0 ? '' : ', needs attention'}`;
}

/** One line for each site, by name. */
export function sitesSummary(results: readonly SiteResult[]): string[] {
  const sorted = results.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const published = results.filter(({ report }) => report && !report.problem).length;
  return [
    `${published} of ${results.length} sites built:`,
    ...sorted.map((result) => `  ${result.name}: ${resultText(result)}`),
  ];
}
