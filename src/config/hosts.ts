/**
 * The hosts that a site can be deployed to, with their variables and size limits. The doctor checks these limits, and
 * the table of docs/hosting.md is generated from them. Rate limits are in src/deploy/hosts/.
 */

import path from 'node:path';
import { numberText } from '../lib/terminal/count-text.ts';
import { bytesText } from '../lib/terminal/progress.ts';

const MB = 1_000_000;
const MIB = 2 ** 20;

/** Limits of a host. A limit is undefined if the host does not publish it. */
export interface Limits {
  /** Files of one site. */
  files?: number;
  filesPerFolder?: number;
  fileBytes?: number;
  siteBytes?: number;
  deployMinutes?: number;
}

interface HostPlan extends Limits {
  name: string;
}

export interface HostRow {
  /** Value of `DEPLOY_TO`. */
  id: string;
  name: string;
  /** Form of a build in CI for this host: a change set (`thin`), or the whole site. */
  form: 'thin' | 'whole';
  /** The cheapest first. */
  plans: readonly [HostPlan, ...HostPlan[]];
  /** Names of the secrets and variables of a deploy. docs/hosting.md describes how to get them. */
  secrets?: readonly string[];
  variables?: readonly string[];
  /** Variables that a deploy does not need. */
  optional?: readonly string[];
  /** Other rules, as sentences. */
  rule?: string;
  /** A few words for the choice of a host. */
  hint?: string;
  /** Whether its terms forbid sites that mainly sell goods. */
  notForTrade?: true;
  source: string;
  /** Month in which the figures were read at `source`. */
  asOf: string;
}

const LIMIT_WORDS: Readonly<Record<keyof Limits, string>> = {
  files: 'files',
  filesPerFolder: 'files in one folder',
  fileBytes: 'in one file',
  siteBytes: 'in all files',
  deployMinutes: 'minutes for a deploy',
};

/** A value of a limit as people read it, such as `26.2 MB in one file`. */
export const limitText = (limit: keyof Limits, value: number): string =>
  `${limit.endsWith('Bytes') ? bytesText(value) : numberText(value)} ${LIMIT_WORDS[limit]}`;

/** Plans of Cloudflare Workers and Pages. */
const CLOUDFLARE_PLANS: HostRow['plans'] = [
  { name: 'free', files: 20_000, fileBytes: 25 * MIB },
  { name: 'paid', files: 100_000, fileBytes: 25 * MIB },
];

export const HOSTS: readonly HostRow[] = [
  {
    id: 'cloudflare-workers',
    name: 'Cloudflare Workers',
    form: 'thin',
    secrets: ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_ACCOUNT_ID'],
    variables: ['CLOUDFLARE_WORKER'],
    plans: CLOUDFLARE_PLANS,
    source: 'https://developers.cloudflare.com/workers/platform/limits/',
    asOf: '2026-11',
  },
  {
    id: 'cloudflare',
    name: 'Cloudflare Pages',
    form: 'whole',
    secrets: ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_ACCOUNT_ID'],
    variables: ['CLOUDFLARE_PROJECT'],
    plans: CLOUDFLARE_PLANS,
    hint: 'for an existing Pages project',
    rule: 'More than 20,000 files also need PAGES_WRANGLER_MAJOR_VERSION=4 in the settings of the project.',
    source: 'https://developers.cloudflare.com/pages/platform/limits/',
    asOf: '2026-01',
  },
  {
    id: 'netlify',
    name: 'Netlify',
    form: 'thin',
    secrets: ['NETLIFY_AUTH_TOKEN'],
    variables: ['NETLIFY_SITE_ID'],
    plans: [{ name: 'all', filesPerFolder: 54_000 }],
    hint: 'a deploy every night needs a paid plan',
    rule: 'Each deploy costs 15 credits. Traffic also costs credits, and the free plan has 300 a month. Without credits, Netlify takes the site offline.',
    source: 'https://docs.netlify.com/site-deploys/overview/',
    asOf: '2026-11',
  },
  {
    id: 'github',
    name: 'GitHub Pages',
    form: 'whole',
    plans: [{ name: 'all', siteBytes: 1000 * MB, deployMinutes: 10 }],
    hint: 'not for shops',
    rule: 'It sends no custom headers. A private repository needs a paid plan.',
    notForTrade: true,
    source:
      'https://docs.github.com/en/pages/getting-started-with-github-pages/github-pages-limits',
    asOf: '2026-11',
  },
  {
    id: 'gitlab',
    name: 'GitLab Pages',
    form: 'whole',
    plans: [{ name: 'gitlab.com', files: 200_000, siteBytes: 1000 * MB }],
    rule: 'It sends no custom headers. Only members see the site of a private project, until its settings allow "Everyone" for Pages. A self-managed GitLab may have other limits.',
    source: 'https://docs.gitlab.com/user/gitlab_com/#gitlab-pages',
    asOf: '2026-11',
  },
  {
    id: 's3',
    name: 'Any S3 host',
    form: 'thin',
    secrets: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    variables: ['S3_BUCKET', 'S3_ENDPOINT', 'S3_REGION', 'S3_PREFIX'],
    optional: ['S3_ENDPOINT', 'S3_REGION', 'S3_PREFIX'],
    plans: [{ name: 'all', fileBytes: 5000 * MB }],
    rule: 'It sends no custom headers except Content-Type and Cache-Control. A CDN can add them.',
    source: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html',
    asOf: '2026-11',
  },
  {
    id: 'folder',
    name: 'A folder of your own server',
    form: 'thin',
    variables: ['DEPLOY_FOLDER'],
    plans: [{ name: 'all' }],
    rule: 'Its web server defines the headers.',
    source: '#a-server-of-your-own',
    asOf: '2026-11',
  },
];

/** Values of `DEPLOY_TO`. With `none`, builds are not deployed. */
export const HOST_IDS: readonly string[] = [...HOSTS.map(({ id }) => id), 'none'];

/** The host of an id. Undefined for `none` and unknown ids. */
export const hostOf = (id: string): HostRow | undefined => HOSTS.find((host) => host.id === id);

/** Size of a site, estimated before it is built. */
export interface SiteSize {
  files: number;
  bytes: number;
  largestFile: number;
  /** Most files in one folder. */
  fullestFolder: number;
}

/** The size of a site with these files, and its largest file. */
export function sizeOf(
  site: Iterable<{ path: string; size: number }>,
): SiteSize & { largest: string } {
  const size = { files: 0, bytes: 0, largestFile: 0, largest: '', fullestFolder: 0 };
  const folders = new Map<string, number>();
  for (const file of site) {
    const folder = path.posix.dirname(file.path);
    const count = (folders.get(folder) ?? 0) + 1;
    folders.set(folder, count);
    size.files += 1;
    size.bytes += file.size;
    if (file.size > size.largestFile) {
      size.largestFile = file.size;
      size.largest = file.path;
    }
    size.fullestFolder = Math.max(size.fullestFolder, count);
  }
  return size;
}

/** The limits of a plan that a site would exceed. The time of a deploy cannot be estimated. */
function exceededBy(size: SiteSize, plan: HostPlan) {
  const checks: [keyof Limits, number][] = [
    ['files', size.files],
    ['filesPerFolder', size.fullestFolder],
    ['fileBytes', size.largestFile],
    ['siteBytes', size.bytes],
  ];
  return checks.flatMap(([limit, expected]) => {
    const allowed = plan[limit];
    return allowed !== undefined && expected > allowed ? [{ limit, allowed, expected }] : [];
  });
}

/**
 * The cheapest plan of a host for a site, and the limits of it that the site would exceed. If no plan fits, the
 * limits of the largest plan are compared. Empty if the cheapest plan fits.
 */
export function fittingPlan({ plans }: Pick<HostRow, 'plans'>, size: SiteSize) {
  const fitting = plans.find((plan) => exceededBy(size, plan).length === 0);
  const judged = fitting ? plans[0] : (plans.at(-1) ?? plans[0]);
  return { cheapest: plans[0], fitting, exceeded: exceededBy(size, judged) };
}
