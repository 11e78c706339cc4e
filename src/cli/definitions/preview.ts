import { type Described, defineOptions } from '../../lib/command-line/definition.ts';
import { ENDED_BY_PERSON, LAST_PORT, QUIET } from './options.ts';

export const PREVIEW_OPTIONS = defineOptions({
  output: { type: 'path', value: 'DIR', default: '_site', help: 'the built site' },
  port: {
    type: 'number',
    value: 'N',
    default: 8080,
    most: LAST_PORT,
    unset: '8080 or the next free one',
    help: 'port of the site',
  },
  ...QUIET,
});

export const preview: Described<typeof PREVIEW_OPTIONS> = {
  name: 'preview',
  summary: 'show the built site on this machine',
  description:
    'Shows the built site on this machine, as a host would serve it, and changes nothing.',
  options: PREVIEW_OPTIONS,
  notes: [ENDED_BY_PERSON],
  exitCodes: { 0: 'ended', 2: 'there is no site to show' },
};
