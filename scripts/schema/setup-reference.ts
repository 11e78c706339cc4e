import { NPM } from '../../src/cli/commands.ts';
import { deploy } from '../../src/cli/definitions/deploy.ts';
import { doctor } from '../../src/cli/definitions/doctor.ts';
import { HOSTS, type Limits } from '../../src/config/hosts.ts';
import { commandReference, optionsTable } from '../../src/lib/command-line/reference.ts';
import { bytesText } from '../../src/lib/terminal/progress.ts';
import { type ArgsOf, type Code, describeFinding, finding } from '../../src/setup/findings.ts';
import { PROSE } from '../../src/setup/prose/prose.ts';
import { COMMANDS } from '../commands/index.ts';

const PROBLEM = {
  problem: 'a-code',
  what: 'What happened.',
  why: 'Why.',
  fix: 'The message says it.',
};
const PLACED = { host: 'The host', plan: 'free', files: 30_000, bytes: 9e8 };

/** Arguments of every finding, for its words in docs/doctor.md, and for the test of the words. */
export const SAMPLES: { [C in Code]: ArgsOf<C> } = {
  'node-old': { version: '20.1.0', needed: '24.0.0' },
  'disk-low': { free: 1e8, needed: 1e9 },
  'env-open': { mode: '0644' },
  'env-tracked': {},
  'config-wrong': PROBLEM,
  'config-example': { address: 'https://media.example' },
  'site-example': { address: 'https://cars.example' },
  'config-empty': {},
  'places-wrong': PROBLEM,
  'files-wrong': PROBLEM,
  'pages-wrong': PROBLEM,
  'words-missing': { locale: 'fr-FR', language: 'fr', known: true, there: ['en', 'de'] },
  'stock-rows': { dealer: 'Northgate Cars', rows: 40, count: 2, first: 'row 3: "x" is no year' },
  'policy-opened': { sources: { 'script-src': ['https://stats.example'] } },
  'enquiry-elsewhere': { dealers: ['Northgate'], host: 'GitHub Pages' },
  'imprint-missing': { dealers: ['Northgate'] },
  'privacy-missing': { dealers: ['Northgate'] },
  'company-details-missing': { dealers: ['Northgate'] },
  'workflow-differs': { file: '.github/workflows/rebuild.yml', lines: 2, first: 'DEPLOY_TO: s3' },
  'key-missing': { variable: 'MEDIA_API_KEY', used: 'Northgate Cars' },
  'key-short': { variable: 'MEDIA_API_KEY', fault: 'is too short' },
  'key-form': { variable: 'MEDIA_API_KEY', reason: 'stands in quotes' },
  'dealer-answers': { dealer: 'Northgate Cars', ms: 900, vehicles: 40, pictures: 400, videos: 60 },
  'dealer-slow': { dealer: 'Northgate Cars', ms: 20_000, timeout: 30_000 },
  'dealer-empty': { dealer: 'Northgate Cars' },
  'dealer-fails': PROBLEM,
  'account-answers': { account: 'northgate', ms: 900, batches: 12 },
  'account-fails': PROBLEM,
  'unknown-fields': { subject: 'Northgate Cars', fields: { colour: 40 } },
  'field-names': { subject: 'Northgate Cars', setting: 'hostedVideo', value: 'youTube' },
  'set-aside': {
    subject: 'Northgate Cars',
    code: 'contract-invalid_type',
    count: 2,
    path: '[3].vrm',
    message: 'Invalid input: expected string, received number',
  },
  'set-aside-too-many': { dealer: 'Northgate Cars', quarantined: 30, received: 40, allowed: 0.2 },
  'unknown-types': { dealer: 'Northgate Cars', types: { Spin: 4 } },
  'duplicate-plates': { dealer: 'Northgate Cars', count: 1 },
  'embed-hosts': { hosts: { 'videos.example': 3 } },
  'picture-hosts': { hosts: { 'pictures.example': 400 } },
  'picture-fails': {
    code: 'download-status',
    count: 1,
    tried: 8,
    stops: false,
    allowed: 0.2,
    pictures: [{ url: 'https://media.example/1.jpg', message: 'status 404' }],
    fixes: ['What to do depends on the cause, which the finding names.'],
  },
  'pictures-arrive': { count: 8, ms: 2000, downloadedBytes: 2e6, outputs: 35 },
  'viewer-widths': { made: true, widths: [1920], shown: 1280, files: 400, bytes: 7e7 },
  'host-unknown': { given: 'ftp', known: HOSTS.map(({ id }) => id) },
  'host-variables': { host: 'Netlify', missing: ['NETLIFY_AUTH_TOKEN'] },
  'host-settings': PROBLEM,
  'host-rewrites': { site: 'our-cars' },
  'records-large': { address: 'https://cars.example/api/records/7001.json', bytes: 900_000 },
  'host-fits': { ...PLACED, asOf: '2026-01' },
  'host-paid': { ...PLACED, limit: 'files', allowed: 20_000 },
  'host-too-small': { ...PLACED, limit: 'files', allowed: 20_000, expected: 30_000 },
  'host-trade': { host: 'The host' },
  'host-rule': { host: 'The host', rule: 'It sends no headers of ours.' },
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** The table of docs/doctor.md. */
export function findingsTable(): string {
  const rows = (Object.keys(PROSE) as Code[]).map((code) => {
    const { fix } = describeFinding(finding(code, SAMPLES[code] as never));
    const { severity, meaning } = PROSE[code];
    return `| \`${code}\` | ${severity} | ${cell(meaning)} | ${cell(fix)} |`;
  });
  return ['| Code | Severity | It means | What to do |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

const figure = (value: number | undefined, text: (value: number) => string = String): string =>
  value === undefined ? '–' : text(value);

const whole = (value: number): string => value.toLocaleString('en-GB');
const mebibytes = (value: number): string =>
  value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : bytesText(value);

/** The table of docs/hosting.md. */
export function limitsTable(): string {
  const row = (name: string, id: string, plan: Limits & { name: string }, source: string) =>
    `| ${name}, ${plan.name} | \`${id}\` | ${figure(plan.files, whole)} | ${figure(plan.filesPerFolder, whole)} | ${figure(plan.fileBytes, mebibytes)} | ${figure(plan.siteBytes, bytesText)} | ${figure(plan.deployMinutes, (minutes) => `${minutes} min`)} | ${source} |`;
  return [
    '| Host, plan | `DEPLOY_TO` | Files | Files in a folder | One file | The site | A deploy | As of |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...HOSTS.flatMap(({ id, name, plans, source, asOf }) =>
      plans.map((plan) => row(name, id, plan, `[${asOf}](${source})`)),
    ),
  ].join('\n');
}

/** A document with what stands between `<!-- NAME -->` and `<!-- /NAME -->` put in anew. */
export function withSection(document: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`There is no section ${name}`);
  return `${document.slice(0, from + start.length)}\n\n${content}\n\n${document.slice(to)}`;
}

/** Documents with a generated section: path, its name, and what stands in it. */
export const GENERATED_SECTIONS = [
  { file: 'docs/hosting.md', name: 'limits', content: limitsTable },
  { file: 'docs/doctor.md', name: 'findings', content: findingsTable },
  { file: 'docs/doctor.md', name: 'options', content: () => optionsTable(doctor) },
  { file: 'docs/hosting.md', name: 'options', content: () => optionsTable(deploy) },
  {
    file: 'docs/commands.md',
    name: 'commands',
    content: () => commandReference(COMMANDS.commands, NPM),
  },
] as const;
