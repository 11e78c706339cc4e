import { bytesText } from '../../lib/terminal/progress.ts';
import { entry, NOTHING, passedOn } from './entry.ts';

export interface Placed {
  host: string;
  plan: string;
  files: number;
  bytes: number;
}

const sizeText = ({ files, bytes }: { files: number; bytes: number }): string =>
  `about ${files.toLocaleString('en-GB')} ${files === 1 ? 'file' : 'files'} and ${bytesText(bytes)}`;

/** What is said of hosts. */
export const HOSTS = {
  'host-unknown': entry(
    'error',
    'DEPLOY_TO names no host that is known.',
    ({ given, known }: { given: string; known: readonly string[] }) => ({
      what: `DEPLOY_TO is "${given}".`,
      why: `Known are: ${known.join(', ')}.`,
      fix: 'Correct DEPLOY_TO in .env and in the workflow.',
    }),
  ),
  'host-variables': entry(
    'warning',
    'npm run deploy cannot run on this machine: variables are not set.',
    ({ host, missing }: { host: string; missing: readonly string[] }) => ({
      what: `${host}: not set on this machine: ${missing.join(', ')}.`,
      why: 'npm run deploy needs them here. A workflow has them among its own secrets and variables.',
      fix: 'Put them into .env, if you deploy from here; docs/hosting.md says where they come from.',
    }),
  ),
  'host-settings': entry('error', 'A variable for npm run deploy is wrong.', passedOn),
  'host-rewrites': entry('warning', 'Netlify rewrites pages.', ({ site }: { site: string }) => ({
    what: `Netlify makes the addresses in the pages of ${site} "pretty".`,
    why: 'It rewrites pages to do so. They need none of it, and a deploy cannot compare them with what it sent.',
    fix: 'Switch it off: Project configuration, Build & deploy, Post processing, Pretty URLs.',
  })),
  'records-large': entry(
    'warning',
    'The published site sends what it remembers without compressing it.',
    ({ address, bytes }: { address: string; bytes: number }) => ({
      what: `${address} comes uncompressed (${bytesText(bytes)}).`,
      why: 'A build on an empty disk reads the records of all dealers; compressed they are much smaller.',
      fix: 'Have the web server compress application/json (nginx: gzip on; gzip_types application/json;).',
    }),
  ),
  'host-fits': entry(
    'info',
    'The site fits the host.',
    ({ host, plan, ...size }: Placed & { asOf: string }) => ({
      what: `${host} (${plan}): ${sizeText(size)} fit its limits of ${size.asOf}.`,
      why: 'Counted from the answers and the sample pictures.',
      fix: NOTHING,
    }),
  ),
  'host-paid': entry(
    'warning',
    'The site fits a paid plan of the host only.',
    ({ host, plan, limit, allowed, ...size }: Placed & { limit: string; allowed: number }) => ({
      what: `${host}: ${sizeText(size)} need its plan "${plan}".`,
      why: `A cheaper plan allows ${allowed.toLocaleString('en-GB')} (${limit}).`,
      fix: 'Take that plan, make fewer thumbnails (media.widths, media.formats, media.fallback), or choose another host.',
    }),
  ),
  'host-too-small': entry(
    'error',
    'The site is too large for the host.',
    (a: Placed & { limit: string; allowed: number; expected: number }) => ({
      what: `${a.host}: ${sizeText(a)} are too much.`,
      why: `It allows ${a.allowed.toLocaleString('en-GB')} (${a.limit}); about ${a.expected.toLocaleString('en-GB')} are expected.`,
      fix: 'Make fewer thumbnails (media.widths, media.formats, media.fallback), or choose another host (docs/hosting.md).',
    }),
  ),
  'host-trade': entry(
    'warning',
    'The terms of the host speak against a shop.',
    ({ host }: { host: string }) => ({
      what: `${host} is not meant for sites that mainly serve commercial transactions.`,
      why: 'Its terms say so, and a site can be taken down for it.',
      fix: 'Read its terms, or choose another host (docs/hosting.md).',
    }),
  ),
  'host-rule': entry(
    'info',
    'What else is to be known of the host.',
    ({ host, rule }: { host: string; rule: string }) => ({
      what: `${host}: ${rule}`,
      why: 'It is how this host works.',
      fix: NOTHING,
    }),
  ),
};
