import {
  CONFIG,
  PUBLISHING,
  PUBLISHING_EXIT_CODES,
  QUIET,
} from '../../../src/cli/definitions/options.ts';
import { type Described, defineOptions } from '../../../src/lib/command-line/definition.ts';

export const MERGE_OPTIONS = defineOptions({
  ...CONFIG,
  output: { type: 'path', value: 'DIR', default: '_site', help: 'published folder' },
  ...PUBLISHING,
  ...QUIET,
});

export const merge: Described<typeof MERGE_OPTIONS> = {
  name: 'merge',
  summary: 'make one site of parts that several machines built',
  description:
    'Puts the parts that npm run build -- --shard made together: the site is the same, byte for byte, as one that is built whole. Makes front page, search, sitemap index and report, verifies all, and only then replaces the published folder. A missing or torn part, or one of another run, is refused.',
  options: MERGE_OPTIONS,
  words: {
    name: 'DIR',
    help: 'output folders of the parts, all of them',
    most: 1000,
  },
  exitCodes: PUBLISHING_EXIT_CODES,
  examples: [{ args: 'parts/1 parts/2', does: 'make one site of two parts' }],
};
