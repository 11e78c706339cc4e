import { DEPLOY_HOSTS } from '../../deploy/hosts.ts';
import { type Described, defineOptions } from '../../lib/command-line/definition.ts';
import { QUIET } from './options.ts';

export const DEPLOY_OPTIONS = defineOptions({
  to: {
    type: 'string',
    value: 'HOST',
    choices: DEPLOY_HOSTS,
    unset: 'the variable DEPLOY_TO',
    help: 'where to',
  },
  folder: {
    type: 'path',
    value: 'DIR',
    unset: '_changes or _site, whichever is there',
    help: 'what the build made',
  },
  into: {
    type: 'path',
    value: 'DIR',
    unset: 'the variable DEPLOY_FOLDER',
    help: 'folder of the server, for --to folder',
  },
  'dry-run': { type: 'boolean', help: 'only say what would be sent and removed' },
  'no-check': { type: 'boolean', help: 'do not look at the live site afterwards' },
  'take-over': { type: 'boolean', help: 'replace what something else put there, and newer sites' },
  releases: { type: 'boolean', help: 'list the deploys that the host still has' },
  rollback: {
    type: 'boolean',
    help: 'show a former deploy again; without its id the one before the live one',
  },
  json: { type: 'boolean', help: 'what was done, as JSON on standard output' },
  ...QUIET,
});

export const deploy: Described<typeof DEPLOY_OPTIONS> = {
  name: 'deploy',
  summary: 'bring what a build made to a host',
  description:
    'Brings what a build made to a host: asks what it lacks and sends that, removes what an earlier deploy sent and the site has no more, and ends when the live site is the one that was sent.',
  options: DEPLOY_OPTIONS,
  words: {
    name: 'ID',
    help: 'with --rollback: the id of a deploy, as --releases lists it',
    most: 1,
  },
  notes: [
    'From the environment: NETLIFY_AUTH_TOKEN, NETLIFY_SITE_ID; CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_WORKER; S3_BUCKET, S3_ENDPOINT, S3_REGION, S3_PREFIX, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION. NETLIFY_API_URL, CLOUDFLARE_API_URL and INDEXNOW_URL: other addresses of theirs.',
  ],
  exitCodes: {
    0: 'deployed',
    2: 'settings',
    3: 'refused',
    4: 'unreachable',
    5: 'nothing to deploy, or a check refused',
  },
  examples: [
    { args: '--to netlify --dry-run', does: 'say what Netlify lacks, and send nothing' },
    { args: '--rollback', does: 'show the deploy before the live one again' },
  ],
};
