import type { LoadedConfig } from '../../config/load.ts';
import { cacheNamed, checkUsable, outputNamed } from '../../lib/files/folder-lock.ts';
import {
  checkFolders,
  checkReport,
  checkReportFile,
  refuseLinks,
} from '../../publish/folder-checks/check.ts';
import { toError } from '../../publish/outcome/to-error.ts';
import { type Finding, passedOn } from '../findings.ts';

/** Where a build writes, as absolute paths. */
export interface Places {
  output: string;
  cacheDir: string;
  report: string;
}

/** Whether a build may replace its folders and write its report; nothing is changed. */
export async function checkPlaces(
  config: LoadedConfig,
  { output, cacheDir, report }: Places,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const attempt = async (look: () => unknown): Promise<void> => {
    try {
      await look();
    } catch (problem) {
      findings.push(passedOn('places-wrong', toError(problem)));
    }
  };
  await attempt(async () => {
    await refuseLinks(cacheDir);
    const { work } = checkFolders(output, config, { cacheDir });
    checkUsable(work, outputNamed(output));
    checkUsable(cacheDir, cacheNamed(cacheDir));
  });
  await attempt(() => {
    checkReport(report, output);
    checkReportFile(report, { leaveFolder: false });
  });
  return findings;
}
