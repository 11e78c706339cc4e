import { countText } from '../../lib/terminal/count-text.ts';
import { bytesText, timeText } from '../../lib/terminal/progress.ts';
import { counted, entry, NOTHING } from './entry.ts';

/** What is said of pictures. */
export const PICTURES = {
  'picture-hosts': entry(
    'error',
    'Pictures come from hosts that are not allowed.',
    ({ hosts }: { hosts: Record<string, number> }) => ({
      what: `Pictures come from hosts that are not allowed: ${counted(hosts)}.`,
      why: 'Pictures are fetched from the service and from media.hosts alone.',
      fix: `Add to media.hosts in site.config.ts, if they are your vendor's: ${Object.keys(hosts)
        .slice(0, 10)
        .map((host) => `'${host}'`)
        .join(', ')}`,
    }),
  ),
  'picture-fails': entry(
    'warning',
    'Pictures of the sample could not be downloaded or decoded: an error if a build would stop, otherwise a warning.',
    (a: {
      code: string;
      count: number;
      tried: number;
      stops: boolean;
      allowed: number;
      pictures: { url: string; message: string }[];
      fixes: string[];
    }) => ({
      what: `${a.count} of ${countText(a.tried, 'sample picture')} failed with ${a.code}:\n${a.pictures
        .map(({ url, message }) => `${url}: ${message}`)
        .join('\n')}`,
      why: `A build ${a.stops ? 'would stop' : 'publishes without them'}: publish.maxPictureFailures allows ${Math.round(a.allowed * 100)} %.`,
      fix: a.fixes.join(' '),
    }),
  ),
  'pictures-arrive': entry(
    'info',
    'The sample pictures were downloaded and made into thumbnails.',
    (a: { count: number; ms: number; downloadedBytes: number; outputs: number }) => ({
      what: `${countText(a.count, 'sample picture')} (${bytesText(a.downloadedBytes)}) became ${countText(a.outputs, 'thumbnail')} in ${timeText(a.ms)}.`,
      why: 'Downloaded and encoded as a build does it.',
      fix: NOTHING,
    }),
  ),
  'viewer-widths': entry(
    'info',
    'What larger pictures in the full-screen viewer cost, or would cost.',
    (a: { made: boolean; widths: number[]; shown: number; files: number; bytes: number }) => ({
      what: a.made
        ? `Larger pictures for the viewer (${a.widths.join(', ')}) are ${a.files} of the files, about ${bytesText(a.bytes)}.`
        : `The viewer shows pictures ${a.shown} wide, and originals are larger: media.viewerWidths: [${a.widths.join(', ')}] would make ${countText(a.files, 'more file')}, about ${bytesText(a.bytes)}.`,
      why: 'Counted for the vehicles of today, by the sizes of the sample.',
      fix: 'Choose media.viewerWidths: each width is a file more of each picture that is as wide.',
    }),
  ),
};
