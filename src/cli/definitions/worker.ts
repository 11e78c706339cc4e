import { type Described, defineOptions } from '../../lib/command-line/definition.ts';
import { LAST_PORT } from './options.ts';

export const WORKER_OPTIONS = defineOptions({
  config: {
    type: 'path',
    value: 'FILE',
    unset: 'site.config.ts',
    help: "the same configuration as the build's; its keys are not needed",
  },
  cache: {
    type: 'path',
    value: 'DIR',
    default: '.cache',
    help: "without STORE_URL: the build's cache folder, shared with it",
  },
  'metrics-port': {
    type: 'number',
    value: 'N',
    least: 1,
    most: LAST_PORT,
    help: 'figures for Prometheus, at http://127.0.0.1:N/metrics',
  },
  quiet: { type: 'boolean', help: 'only what goes wrong' },
});

export const worker: Described<typeof WORKER_OPTIONS> = {
  name: 'worker',
  summary: 'make thumbnails for builds on other machines',
  description:
    'Makes thumbnails for builds that run elsewhere: takes vehicles from the queue of QUEUE_URL and puts their thumbnails into the store of STORE_URL, until it is stopped (Ctrl-C finishes what is under way). Start one on each machine; docs/scale.md says more.',
  options: WORKER_OPTIONS,
  // Those to a Redis that is away would keep the process, trying for ever.
  leavesConnections: true,
};
