import { batches } from '../batches/commands/index.ts';
import type {
  Command,
  CommandGroup,
  Described,
  Options,
  Program,
} from '../lib/command-line/definition.ts';
import { build } from './definitions/build.ts';
import { deploy } from './definitions/deploy.ts';
import { dev } from './definitions/dev.ts';
import { doctor } from './definitions/doctor.ts';
import { init } from './definitions/init.ts';
import { preview } from './definitions/preview.ts';
import { service } from './definitions/service.ts';
import { themeCopy } from './definitions/theme.ts';
import { worker } from './definitions/worker.ts';

/** A command: what is said of it, and where its function is. */
export const command = <O extends Options>(
  described: Described<O>,
  load: Command<O>['load'],
): Command<O> => ({ ...described, load });

const theme: CommandGroup = {
  name: 'theme',
  summary: 'change how the site looks',
  description: 'Helps with the files of your theme.',
  commands: [command(themeCopy, () => import('./theme-copy.ts'))],
  member: { name: 'theme command', code: 'command-unknown' },
};

/** Commands for those who have a site. */
export const SITE_COMMANDS = [
  command(init, async () => {
    const { runInit } = await import('./init.ts');
    return { run: (args, io) => runInit(args, io, commandNames()) };
  }),
  command(doctor, () => import('./doctor.ts')),
  theme,
  command(build, () => import('./build.ts')),
  command(preview, () => import('./preview.ts')),
  command(deploy, () => import('./deploy.ts')),
  command(dev, () => import('./dev.ts')),
  batches,
  command(worker, () => import('./worker.ts')),
  command(service, () => import('./service.ts')),
] as const;

/** Names of the scripts that a project gets for these commands. */
const commandNames = (): string[] => SITE_COMMANDS.map(({ name }) => name);

/** The commands of the published package. */
export const SITE: CommandGroup = {
  name: 'vehicle-media-site',
  summary: 'static pages of vehicle pictures and videos',
  description:
    "Builds fast static pages of a dealer's vehicle pictures and videos, and keeps the history of sent videos.",
  commands: SITE_COMMANDS,
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

/** The commands as those of an installed package. */
export const NPX: Program = {
  line: (path, args) => ['npx --no -- vehicle-media-site', ...path, args].filter(Boolean).join(' '),
};
