import { bytesText, timeText } from '../lib/terminal/progress.ts';

/** The words for what the doctor finds: here, and nowhere else. */

export type Severity = 'error' | 'warning' | 'info';

export interface FindingText {
  what: string;
  why: string;
  fix: string;
}

interface Entry<A> {
  severity: Severity;
  /** What the code means, for docs/doctor.md. */
  meaning: string;
  describe: (args: A) => FindingText;
}

const entry = <A>(
  severity: Severity,
  meaning: string,
  describe: (args: A) => FindingText,
): Entry<A> => ({
  severity,
  meaning,
  describe,
});

/** A problem that an error of ours already tells in full. */
export type Problem = { problem: string; what: string; why?: string; fix?: string };

const passedOn = ({ what, why, fix }: Problem): FindingText => ({
  what,
  why: why ?? 'Nothing more is known.',
  fix: fix ?? 'See docs/operations.md.',
});

const NOTHING = 'Nothing needs to be done.';
const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .slice(0, 10)
    .map(([name, count]) => `${name} (${count})`)
    .join(', ');

interface Placed {
  host: string;
  plan: string;
  files: number;
  bytes: number;
}

const sizeText = ({ files, bytes }: { files: number; bytes: number }): string =>
  `about ${files.toLocaleString('en-GB')} files and ${bytesText(bytes)}`;

/** Every code with its severity and its words. Codes are never renamed: scripts match on them. */
export const PROSE = {
  'node-old': entry(
    'error',
    'Node is too old.',
    ({ version, needed }: { version: string; needed: string }) => ({
      what: `Node ${version} runs this command; ${needed} or newer is needed.`,
      why: 'The project is written in TypeScript that Node runs itself.',
      fix: 'Run commands as "npm run …" after "npm ci": it brings its own Node.',
    }),
  ),
  'disk-low': entry(
    'warning',
    'The disk may become full during a build.',
    ({ free, needed }: { free: number; needed: number }) => ({
      what: `${bytesText(free)} are free on this disk; a build may need ${bytesText(needed)}.`,
      why: 'Old and new thumbnails lie beside each other until the new site is published.',
      fix: 'Free some space, or put the cache on another disk with --cache.',
    }),
  ),
  'env-open': entry(
    'warning',
    'Others on this machine can read .env.',
    ({ mode }: { mode: string }) => ({
      what: `.env can be read by others on this machine (mode ${mode}).`,
      why: 'It holds the keys.',
      fix: 'chmod 600 .env',
    }),
  ),
  'env-tracked': entry('error', 'git knows .env.', (_: object) => ({
    what: 'git does not ignore .env.',
    why: 'The keys in it would be pushed, and stay in the history for ever.',
    fix: 'git rm --cached .env, add .env to .gitignore, and have keys that were pushed replaced.',
  })),
  'config-wrong': entry('error', 'The configuration cannot be used.', passedOn),
  'config-example': entry(
    'error',
    'The address of the service is still the example.',
    ({ address }: { address: string }) => ({
      what: `service.baseUrl is still the example ${address}.`,
      why: 'No service answers there.',
      fix: 'Write the address that the vendor gave you, or run: npm run init',
    }),
  ),
  'site-example': entry(
    'warning',
    'The address of the site is still an example.',
    ({ address }: { address: string }) => ({
      what: `site.url is the example ${address}.`,
      why: 'Sitemaps, feeds and shared links name this address.',
      fix: 'Write the address at which visitors will reach the site.',
    }),
  ),
  'config-empty': entry('error', 'No dealer is configured.', (_: object) => ({
    what: 'dealers is empty.',
    why: 'A site shows the vehicles of at least one dealer.',
    fix: 'Add a dealer to site.config.ts, or run: npm run init',
  })),
  'places-wrong': entry(
    'error',
    'A folder or file that a build writes is not ours, or cannot be written.',
    passedOn,
  ),
  'files-wrong': entry('error', 'A file that a build reads cannot be used.', passedOn),
  'pages-wrong': entry('error', 'The pages cannot be made.', passedOn),
  'words-missing': entry(
    'warning',
    'There are no words for the locale, so pages are in English.',
    (a: { locale: string; language: string; known: boolean; there: readonly string[] }) => ({
      what: `There are no words for site.locale "${a.locale}": pages will be in English, their dates and numbers too.`,
      why: `Words come with this program for ${a.there.join(' and ')}.`,
      fix: a.known
        ? `Put all words under "${a.language}" into theme/words.json (docs/theming.md#words), or choose another site.locale.`
        : `Choose another site.locale: "${a.language}" is no language whose plural forms are known.`,
    }),
  ),
  'stock-rows': entry(
    'warning',
    "Rows of a dealer's own list cannot be used as they are.",
    (a: { dealer: string; rows: number; count: number; first: string }) => ({
      what: `${a.dealer}: ${a.count} faults in the ${a.rows} rows of its stock list; the first in ${a.first}.`,
      why: 'What cannot be read is left out of the pages.',
      fix: 'Correct the list, or the settings in dealers[].stock.',
    }),
  ),
  'key-missing': entry(
    'error',
    'A key is not set.',
    ({ variable, used }: { variable: string; used: string }) => ({
      what: `${variable} is not set.`,
      why: `${used} needs the key in it.`,
      fix: `Put ${variable}=… into .env, or into the secrets of your CI.`,
    }),
  ),
  'key-short': entry(
    'warning',
    'A key is too short to mark what is remembered beside the published site.',
    ({ variable }: { variable: string }) => ({
      what: `The key in ${variable} is too short: what is remembered beside the published site gets no mark.`,
      why: 'A mark is public, and a short key could be found by trying. Without it, a build on an empty disk does not believe what the site remembers: in a night without an answer nothing is published, and withdrawn pages are gone.',
      fix: 'Ask the vendor for a key of the usual form, or see that the cache folder is handed on from build to build.',
    }),
  ),
  'key-form': entry(
    'error',
    'A key has a form that cannot be right.',
    ({ variable, reason }: { variable: string; reason: string }) => ({
      what: `The key in ${variable} ${reason}.`,
      why: 'The service would refuse it. The key itself is never shown here.',
      fix: `Copy the key again into ${variable}: nothing before it, nothing behind it, no quotes.`,
    }),
  ),
  'dealer-answers': entry(
    'info',
    'The service answers for a dealer.',
    (a: { dealer: string; ms: number; vehicles: number; pictures: number; videos: number }) => ({
      what: `${a.dealer}: ${a.vehicles} vehicles, ${a.pictures} pictures, ${a.videos} videos in ${timeText(a.ms)}.`,
      why: 'The service answered, and the answer fits.',
      fix: NOTHING,
    }),
  ),
  'dealer-slow': entry(
    'warning',
    'The service is close to its deadline.',
    ({ dealer, ms, timeout }: { dealer: string; ms: number; timeout: number }) => ({
      what: `${dealer}: the answer took ${timeText(ms)}.`,
      why: `After ${timeText(timeout)} (service.timeout) a try is given up.`,
      fix: 'Raise service.timeout and service.totalTimeout.',
    }),
  ),
  'dealer-empty': entry(
    'warning',
    'A dealer has no vehicles.',
    ({ dealer }: { dealer: string }) => ({
      what: `${dealer}: the service lists no vehicle.`,
      why: 'The dealer may be new, or the id may be of another dealer.',
      fix: 'Check dealers[].id with the vendor.',
    }),
  ),
  'dealer-fails': entry('error', 'The service gives no usable answer for a dealer.', passedOn),
  'account-answers': entry(
    'info',
    'The service answers for an account.',
    ({ account, ms, batches }: { account: string; ms: number; batches: number }) => ({
      what: `${account}: ${batches} batches in ${timeText(ms)}.`,
      why: 'The service answered for the last days of history.',
      fix: NOTHING,
    }),
  ),
  'account-fails': entry('error', 'The service gives no usable answer for an account.', passedOn),
  'unknown-fields': entry(
    'info',
    'The answer has fields that the interface does not name.',
    ({ subject, fields }: { subject: string; fields: Record<string, number> }) => ({
      what: `${subject}: fields that are not in the interface: ${counted(fields)}.`,
      why: 'They are not used. New fields are no fault.',
      fix: NOTHING,
    }),
  ),
  'field-names': entry(
    'warning',
    'The service writes fields under other names.',
    ({ subject, setting, value }: { subject: string; setting: string; value: string }) => ({
      what: `${subject}: the service seems to use names of its own: ${value}.`,
      why: 'Under the configured names nothing is found, so what they hold is lost.',
      fix: `Set service.fieldNames.${setting} to '${value}' in site.config.ts.`,
    }),
  ),
  'set-aside': entry(
    'warning',
    'Records or media items break the contract.',
    (a: { subject: string; code: string; count: number; path: string; message: string }) => ({
      what: `${a.subject}: ${a.count} set aside with ${a.code}, the first at ${a.path}.`,
      why: `It ${/^(?:is|has|must|does)/.test(a.message) ? a.message : `breaks the contract: ${a.message}`}.`,
      fix: 'The rest is published. Send code and place to the vendor.',
    }),
  ),
  'set-aside-too-many': entry(
    'error',
    'So many records break the contract that a build would not use the answer.',
    (a: { dealer: string; quarantined: number; received: number; allowed: number }) => ({
      what: `${a.dealer}: ${a.quarantined} of ${a.received} records break the contract.`,
      why: `A build uses no answer with more than ${Math.round(a.allowed * 100)} % (publish.maxQuarantined).`,
      fix: 'Send the codes above to the vendor; raise the limit only if you know why.',
    }),
  ),
  'unknown-types': entry(
    'warning',
    'Media of a type that is not known.',
    ({ dealer, types }: { dealer: string; types: Record<string, number> }) => ({
      what: `${dealer}: media of unknown type: ${counted(types)}.`,
      why: 'Only images and videos are known; others are counted and left out.',
      fix: 'Ask the vendor what they are.',
    }),
  ),
  'duplicate-plates': entry(
    'warning',
    'A plate is listed twice.',
    ({ dealer, count }: { dealer: string; count: number }) => ({
      what: `${dealer}: ${count} records repeat a number plate.`,
      why: 'The newest record of a plate is used.',
      fix: 'Remove the older one at the vendor.',
    }),
  ),
  'embed-hosts': entry(
    'warning',
    'Hosted videos of a host that no provider matches.',
    ({ hosts }: { hosts: Record<string, number> }) => ({
      what: `Videos of hosts without a provider: ${counted(hosts)}.`,
      why: 'Only players of known hosts are embedded; these videos are linked instead.',
      fix: 'Add the host to videos.providers (docs/configuration.md), if you trust it.',
    }),
  ),
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
      what: `${a.count} sample pictures (${bytesText(a.downloadedBytes)}) became ${a.outputs} thumbnails in ${timeText(a.ms)}.`,
      why: 'Downloaded and encoded as a build does it.',
      fix: NOTHING,
    }),
  ),
  'host-unknown': entry(
    'error',
    'DEPLOY_TO names no host that is known.',
    ({ given, known }: { given: string; known: readonly string[] }) => ({
      what: `DEPLOY_TO is "${given}".`,
      why: `Known are: ${known.join(', ')}.`,
      fix: 'Correct DEPLOY_TO in .env and among the variables of your CI.',
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
} as const;
