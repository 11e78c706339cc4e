import { bench } from '../../bench/commands.ts';
import { batches } from '../../src/batches/commands/index.ts';
import type { CommandGroup, Program } from '../../src/lib/command-line/definition.ts';
import { build } from './build.ts';
import { deploy } from './deploy.ts';
import { dev } from './dev.ts';
import { chaos, completion, lockfile, schema, screenshots } from './development.ts';
import { doctor } from './doctor.ts';
import { init } from './init.ts';
import { merge } from './merge.ts';
import { plan } from './plan.ts';
import { preview } from './preview.ts';
import { service } from './service.ts';
import { start } from './start.ts';
import { worker } from './worker.ts';

/** Commands for those who have a site. */
export const SITE_COMMANDS = [
  init,
  doctor,
  build,
  preview,
  deploy,
  dev,
  batches,
  plan,
  merge,
  worker,
  service,
] as const;

/** Commands for those who work on this project. */
export const DEVELOPMENT_COMMANDS = [
  start,
  bench,
  chaos,
  screenshots,
  schema,
  lockfile,
  completion,
] as const;

/** Every command of this project. */
export const COMMANDS: CommandGroup = {
  name: 'vehicle-media-site',
  summary: 'static pages of vehicle pictures and videos',
  description:
    "Builds fast static pages of a dealer's vehicle pictures and videos, and keeps the history of sent videos.",
  commands: [...SITE_COMMANDS, ...DEVELOPMENT_COMMANDS],
  member: { name: 'command', code: 'command-unknown' },
};

/** The commands as scripts of npm. */
export const NPM: Program = {
  line: ([name, ...below], args, command) => {
    if (name === undefined) return `npm run ${args}`;
    const called =
      name === 'start' ? 'npm start' : `npm run ${command?.silent ? '--silent ' : ''}${name}`;
    const words = [...below, args].filter((word) => word !== '').join(' ');
    return words === '' ? called : `${called} -- ${words}`;
  },
};
