import { type Described, defineOptions } from '../../../src/lib/command-line/definition.ts';
import { CONFIG } from './options.ts';

export const UPGRADE_OPTIONS = defineOptions({
  ...CONFIG,
  write: { type: 'boolean', help: 'do what is safe; of a file that changes, a copy is kept' },
  copy: {
    type: 'string',
    value: 'NAME',
    multiple: true,
    help: 'take a file of templates/ into the theme, such as layouts/vehicle.njk',
  },
  merged: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    complete: 'file',
    help: 'a file of the theme has what its original has now',
  },
  json: { type: 'boolean', help: 'findings as JSON' },
});

export const upgrade: Described<typeof UPGRADE_OPTIONS> = {
  name: 'upgrade',
  summary: 'what an update of this program means for a site',
  description:
    'Says what a site that was made for an earlier version should change: settings and names of templates that have others now, files of the theme whose original changed, workflows. With --write it does what is safe.',
  options: UPGRADE_OPTIONS,
  notes: ['docs/upgrading.md says what an update leaves as it is.'],
  exitCodes: { 0: 'nothing is left to do', 2: 'configuration', 8: 'something is left to do' },
  examples: [
    { args: '--write', does: 'rename settings, bring changes of our templates into the theme' },
    { args: '--copy partials/card.njk', does: 'begin a card of your own' },
  ],
};
