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
    'error',
    'A picture of the sample could not be had or decoded.',
    (a: { code: string; count: number; tried: number; message: string }) => ({
      what: `${a.count} of ${a.tried} sample pictures failed with ${a.code}.`,
      why: `Of the first: ${a.message}.`,
      fix: 'Open the picture in a browser; if it opens there, check media.hosts and the limits in media.',
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
