/** Options that several commands take alike. */
import { HOST_IDS } from '../../config/hosts.ts';
import { defineOptions } from '../../lib/command-line/definition.ts';

/** The highest port there is. */
export const LAST_PORT = 65_535;

export const QUIET = defineOptions({
  quiet: { type: 'boolean', help: 'only warnings and errors' },
});

export const CONFIG = defineOptions({
  config: {
    type: 'path',
    value: 'FILE',
    help: 'configuration (.ts, .js or .json)',
    unset: 'site.config.ts',
  },
});

export const HOST = { type: 'string', value: 'HOST', choices: HOST_IDS } as const;

/** Of commands that publish a site. */
export const PUBLISHING = defineOptions({
  report: {
    type: 'path',
    value: 'FILE',
    default: 'build-report.json',
    help: 'what was done, as JSON',
  },
  strict: {
    type: 'boolean',
    help: 'exit code 8 where a person is needed; it is published all the same',
  },
});

export const PUBLISHING_EXIT_CODES = {
  0: 'published',
  1: 'fault of this program',
  2: 'configuration',
  3: 'refused by the service',
  4: 'service unreachable',
  5: 'a check refused',
  6: 'a secret was found',
  8: 'a person is needed (with --strict)',
} as const;

export const ENDED_BY_PERSON = 'Ctrl-C ends it.';
