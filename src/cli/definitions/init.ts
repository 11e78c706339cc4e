import type { Described } from '../../lib/command-line/definition.ts';
import { INIT_OPTIONS as ANSWERS } from '../../setup/init/options.ts';
import { QUIET } from './options.ts';

export const INIT_OPTIONS = { ...ANSWERS, ...QUIET };

export const init: Described<typeof INIT_OPTIONS> = {
  name: 'init',
  summary: 'set the project up for your service',
  description:
    'Sets the project up for your service: writes site.config.ts, .env and the workflow that rebuilds the site every night, and then runs the doctor. What a project lacks besides is added: lines of .gitignore, scripts for the commands, a README, an example of a theme, a git repository. In a terminal it asks; with options it asks nothing.',
  options: INIT_OPTIONS,
  notes: [
    'In a project that was set up before, its settings stand in for options that are not given.',
    'The key is never an argument: it comes from the prompt, from the environment (MEDIA_API_KEY and, for accounts, BATCH_API_KEY), or with --key-stdin. It is tried before anything is written.',
  ],
  exitCodes: { 0: 'ready', 2: 'something is wrong; nothing is overwritten without --force' },
  examples: [
    {
      args: '--service https://media.example --url https://cars.example --dealer "7001=Northgate Cars"',
      does: 'set up one dealer without questions',
    },
  ],
};
