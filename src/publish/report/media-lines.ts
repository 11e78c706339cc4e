import { printable } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { bytesText } from '../../lib/terminal/progress.ts';
import type { BuildReport } from './report.ts';

/** Counts of thumbnails and downloads. */
export function mediaLines(media: BuildReport['media']): string[] {
  if (!media) return [];
  const restored = `${media.outputsRestored} taken from the published site`;
  return [
    `  Thumbnails: ${media.outputsMade} made, ${media.outputsReused} reused, ${media.outputsRemoved} removed`,
    ...(media.restoredBytes > 0 ? [`  ${restored} (${bytesText(media.restoredBytes)})`] : []),
    `  ${countText(media.downloaded, 'picture')} downloaded (${bytesText(media.downloadedBytes)})`,
    ...(media.renamed > 0
      ? [`  New only by URL: ${media.renamed}. If this repeats, ask the vendor for lasting URLs.`]
      : []),
  ];
}

/** Hosts of videos that no provider matches. */
export function unmatchedLines(embeds: BuildReport['unmatchedEmbeds'], most: number): string[] {
  const unmatched = Object.entries(embeds);
  if (unmatched.length === 0) return [];
  const more = unmatched.length - most;
  return [
    '  Videos of hosts that no provider matches are linked (see videos.providers):',
    ...unmatched.slice(0, most).map(([host, count]) => `    ${printable(host)} (${count})`),
    ...(more > 0 ? [`    and ${countText(more, 'more host')}; see the report`] : []),
  ];
}
