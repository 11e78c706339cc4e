import { type Described, defineOptions } from '../../lib/command-line/definition.ts';
import { CONFIG, PUBLISHING, PUBLISHING_EXIT_CODES, QUIET } from './options.ts';

export const BUILD_OPTIONS = defineOptions({
  ...CONFIG,
  output: {
    type: 'path',
    value: 'DIR',
    unset: '_site; of what changed, _changes',
    help: 'published folder',
  },
  whole: { type: 'boolean', help: 'leave the whole site, also where DEPLOY_TO asks for less' },
  thin: {
    type: 'boolean',
    help: 'leave what changed (a change set), for npm run deploy. In CI that is so by itself where DEPLOY_TO is a host that asks for what it lacks',
  },
  cache: {
    type: 'path',
    value: 'DIR',
    default: '.cache',
    help: 'makes the next build faster: records, thumbnails',
  },
  ...PUBLISHING,
  'accept-loss': {
    type: 'string',
    value: 'DEALER@NAME',
    multiple: true,
    help: 'accept one loss that a build held, by the value that it printed',
  },
  first: {
    type: 'boolean',
    help: 'nothing is online yet: a dealer without an answer is left out, also where the published site cannot be asked',
  },
  'from-published': {
    type: 'boolean',
    help: 'take thumbnails that are missing here from the published site (site.url); that is so without it, too',
  },
  'no-from-published': { type: 'boolean', help: 'never take them from there' },
  for: {
    type: 'string',
    value: 'TIME',
    help: 'time for pictures, such as 5h: then publish the vehicles that are done; the next build goes on. See docs/scale.md',
  },
  now: {
    type: 'time',
    value: 'TIME',
    help: 'the clock, ISO 8601; to see what a build of another day would do',
  },
  ...QUIET,
});

export const build: Described<typeof BUILD_OPTIONS> = {
  name: 'build',
  summary: 'build the site and replace the published folder',
  description:
    'Builds the site: fetches the vehicles of all dealers, makes thumbnails, renders pages, checks the result, and only then replaces the published folder.',
  options: BUILD_OPTIONS,
  notes: [
    'QUEUE_URL and STORE_URL let workers on other machines make the thumbnails: see docs/scale.md.',
  ],
  exitCodes: PUBLISHING_EXIT_CODES,
  examples: [
    { args: '', does: 'build what site.config.ts says into _site' },
    {
      args: '--accept-loss northgate@1f3a9c07b2de',
      does: 'accept a loss that the build before held',
    },
  ],
};
