/**
 * Preloaded by `--import`: ends a build by SIGKILL before its `KILL_BEFORE`th rename in the working
 * folder beside the output, of three: list of files, published site aside, new site in its place. Before a
 * fourth means once the new site is published and what it replaced is being removed.
 */
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const moment = Number(process.env.KILL_BEFORE);
const { renameSync } = fs;
const { rename } = promises;
let renames = 0;
const count = (...names: unknown[]): void => {
  if (names.join().includes('.site.work')) renames++;
  if (renames === moment) process.kill(process.pid, 'SIGKILL');
};
promises.rename = async (from, to) => {
  count(from, to);
  await rename(from, to);
};
fs.renameSync = (from, to) => {
  count(from, to);
  renameSync(from, to);
  if (moment !== 4 || renames !== 3) return;
  fs.rmSync(`${to}/../.site.work/former/index.html`);
  process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();
