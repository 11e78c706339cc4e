/** The commands of `npm run bench`, one per measurement. */
import {
  type Command,
  type CommandGroup,
  defineCommand,
  defineOptions,
  type Options,
  type Values,
} from '../src/lib/command-line/definition.ts';

const number = <const D extends number>(value: D, help: string) =>
  ({ type: 'number', value: 'N', default: value, help }) as const;

const list = <const D extends string>(value: D, help: string) =>
  ({ type: 'string', value: 'LIST', default: value, help }) as const;

/** Accepted by every measurement. */
const SHORT = defineOptions({
  short: { type: 'boolean', help: 'tiny sizes, to check that it runs. Writes no file' },
});

const PHOTOS = defineOptions({
  photos: {
    type: 'path',
    value: 'DIR',
    help: 'folder with photographs (.jpg), in addition to drawn pictures',
  },
});

export const BATCHES_OPTIONS = defineOptions({
  ...SHORT,
  records: number(100_000, 'records of an account'),
  accounts: number(10, 'accounts of the larger history'),
});

export const DEV_OPTIONS = defineOptions({
  ...SHORT,
  vehicles: number(300, 'vehicles of the dealer'),
  images: number(6, 'average pictures per vehicle'),
  runs: number(10, 'changes of each kind'),
});

/** Names of the measurements of `media`. */
export const MEDIA_MEASUREMENTS = [
  'bare-loop',
  'eleventy-img',
  'hugo',
  'latency',
  'memory',
  'unchanged',
  'nights',
] as const;
export type MediaMeasurement = (typeof MEDIA_MEASUREMENTS)[number];

export const MEDIA_OPTIONS = defineOptions({
  ...SHORT,
  sources: number(200, 'pictures of a run'),
  'many-sources': number(2000, 'pictures of the large memory run'),
  runs: number(5, 'runs of each program. Results are medians'),
  only: list(MEDIA_MEASUREMENTS.join(), 'only these measurements'),
  ...PHOTOS,
});

export const NIGHTS_OPTIONS = defineOptions({
  ...SHORT,
  vehicles: number(300, 'vehicles of 20 pictures each'),
  changed: list('0,2,20', 'shares of changed vehicles, in percent'),
  hosts: {
    type: 'string',
    value: 'LIST',
    unset: 'all',
    help: 'hosts for thin deploys of the second build from an empty disk',
  },
  whole: list('netlify', 'hosts for additional deploys of the full site'),
  disks: list('kept,cache,empty,alone', 'disks of second builds without a deploy'),
  ...PHOTOS,
});

export const PAGES_OPTIONS = defineOptions({
  ...SHORT,
  vehicles: list('1000,5000,20000', 'sizes of the stock'),
  runs: number(3, 'runs of each program. Results are medians'),
});

export const SEARCH_OPTIONS = defineOptions({
  ...SHORT,
  lists: list('1x2000,1x5000,50x100', 'dealers and vehicles of each'),
  runs: number(5, 'runs on each device. Results are medians'),
});

/** @param short values that `--short` uses for missing options. */
const measurement = <const O extends Options>(
  name: string,
  summary: string,
  { options, short, load }: { options: O; short: Partial<Values<O>>; load: Command<O>['load'] },
): Command<O> =>
  defineCommand({
    name,
    summary,
    description: `Measures ${summary}.`,
    options,
    load: async () => {
      const { run } = await load();
      return {
        run: (args, io) => {
          if (!('short' in args.values && args.values.short)) return run(args, io);
          const tiny = Object.entries(short).filter(([option]) => !args.given.has(option));
          return run({ ...args, values: { ...args.values, ...Object.fromEntries(tiny) } }, io);
        },
      };
    },
  });

export const bench: CommandGroup = {
  name: 'bench',
  summary: 'measure performance',
  description:
    'Measures, and writes the results into docs/performance.md. It takes minutes. Run nothing else at the same time.',
  member: { name: 'measurement', code: 'bench-unknown' },
  commands: [
    measurement('batches', 'pulls, exports and the report of a large history', {
      options: BATCHES_OPTIONS,
      short: { records: 500, accounts: 2 },
      load: () => import('./batches.ts'),
    }),
    measurement('dev', 'the time until a change is in the browser', {
      options: DEV_OPTIONS,
      short: { vehicles: 3, images: 2, runs: 1 },
      load: () => import('./dev.ts'),
    }),
    measurement(
      'media',
      'the image pipeline, compared with other programs and with an unchanged site',
      {
        options: MEDIA_OPTIONS,
        short: { sources: 2, 'many-sources': 4, runs: 1 },
        load: () => import('./media.ts'),
      },
    ),
    measurement('nights', 'the second build of a site, on each kind of disk', {
      options: NIGHTS_OPTIONS,
      short: { vehicles: 4, changed: '2', hosts: 'netlify', disks: 'cache' },
      load: () => import('./nights.ts'),
    }),
    measurement('pages', 'full builds of large stocks whose thumbnails exist, compared with Hugo', {
      options: PAGES_OPTIONS,
      short: { vehicles: '4', runs: 1 },
      load: () => import('./pages.ts'),
    }),
    measurement('search', 'the time until a search shows results', {
      options: SEARCH_OPTIONS,
      short: { lists: '1x8,2x4', runs: 1 },
      load: () => import('./search.ts'),
    }),
  ],
};
