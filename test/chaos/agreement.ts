import type { BuildReport } from '../../src/publish/report/report.ts';
import { attentionOf } from './invariants.ts';
import { differing, type Tree } from './live.ts';

/** Result of a night on one disk. */
export interface OnDisk {
  disk: string;
  report: BuildReport;
  /** Public files after the night. */
  visible: Tree;
}

const isPublished = ({ outcome }: BuildReport): boolean => outcome !== 'not-published';

/** A report of a night without fields that depend on the disk. */
function summary({ report }: OnDisk): string {
  if (!isPublished(report)) {
    return `nothing was published, exit code ${report.exitCode}`;
  }
  return JSON.stringify({
    exitCode: report.exitCode,
    dealers: report.dealers.map(({ slug, state, source }) => `${slug} ${state} ${source}`).sort(),
    attention: attentionOf(report)
      .map(({ dealer, code }) => `${dealer ?? ''} ${code}`)
      .sort(),
  });
}

const MOST = 3;

/** Differences between disks that must have equal results of a night. */
export function disagreements([first, ...others]: readonly OnDisk[]): string[] {
  if (!first) return [];
  return others.flatMap((other) => {
    const names = `${first.disk} and ${other.disk}`;
    const one = summary(first);
    const two = summary(other);
    if (one !== two) return [`${names} disagree: ${one} and ${two}`];
    const files = differing(first.visible, other.visible);
    if (files.length === 0) return [];
    const more = files.length > MOST ? ` and ${files.length - MOST} more` : '';
    return [`${names} disagree about ${files.slice(0, MOST).join(', ')}${more}`];
  });
}
