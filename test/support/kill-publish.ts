/**
 * Preloaded by `--import`: ends a build by SIGKILL before the first rename for which `KILL_BEFORE`, a
 * pattern, fits `FROM TO`; or, with `KILL_AFTER`, after it, once a file of the former site is removed.
 */
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { KILL_BEFORE, KILL_AFTER } = process.env;
const { renameSync } = fs;
const { rename } = promises;
const fits = (pattern: string | undefined, from: unknown, to: unknown): boolean =>
  pattern !== undefined && new RegExp(pattern).test(`${from} ${to}`);
const kill = (): boolean => process.kill(process.pid, 'SIGKILL');

promises.rename = async (from, to) => {
  if (fits(KILL_BEFORE, from, to)) kill();
  await rename(from, to);
};
fs.renameSync = (from, to) => {
  if (fits(KILL_BEFORE, from, to)) kill();
  renameSync(from, to);
  if (!fits(KILL_AFTER, from, to)) return;
  fs.rmSync(`${to}/../.site.work/former/index.html`);
  kill();
};
syncBuiltinESMExports();
