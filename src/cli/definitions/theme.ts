import { type Described, defineOptions } from '../../lib/command-line/definition.ts';
import { CONFIG } from './options.ts';

export const THEME_COPY_OPTIONS = defineOptions({ ...CONFIG });

export const themeCopy: Described<typeof THEME_COPY_OPTIONS> = {
  name: 'copy',
  summary: 'copy a template into your theme, to change it there',
  description:
    'Copies a default template or asset into the theme, where it replaces the default. A file that the theme already has is never overwritten.',
  options: THEME_COPY_OPTIONS,
  words: { name: 'FILE', help: 'a file below templates/, such as partials/card.njk', most: 1 },
  exitCodes: { 0: 'copied', 2: 'no such template, or the theme already has it' },
  examples: [{ args: 'partials/card.njk', does: 'start with the default card of a vehicle' }],
};
