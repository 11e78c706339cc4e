import { bytesText } from '../../lib/terminal/progress.ts';
import { entry } from './entry.ts';

/** What is said of machine and project. */
export const MACHINE = {
  'node-old': entry(
    'error',
    'Node is too old.',
    ({ version, needed }: { version: string; needed: string }) => ({
      what: `Node ${version} runs this command; ${needed} or newer is needed.`,
      why: 'The project is written in TypeScript that Node runs itself.',
      fix: 'Run commands as "npm run …" after "npm ci": it brings its own Node.',
    }),
  ),
  'disk-low': entry(
    'warning',
    'The disk may become full during a build.',
    ({ free, needed }: { free: number; needed: number }) => ({
      what: `${bytesText(free)} are free on this disk; a build may need ${bytesText(needed)}.`,
      why: 'Old and new thumbnails lie beside each other until the new site is published.',
      fix: 'Free some space, or put the cache on another disk with --cache.',
    }),
  ),
  'env-open': entry(
    'warning',
    'Others on this machine can read .env.',
    ({ mode }: { mode: string }) => ({
      what: `.env can be read by others on this machine (mode ${mode}).`,
      why: 'It holds the keys.',
      fix: 'chmod 600 .env',
    }),
  ),
  'env-tracked': entry('error', 'git knows .env.', (_: object) => ({
    what: 'git does not ignore .env.',
    why: 'The keys in it would be pushed, and stay in the history for ever.',
    fix: 'git rm --cached .env, add .env to .gitignore, and have keys that were pushed replaced.',
  })),
};
