/**
 * Preloaded by `--import`: ends a build by SIGKILL before its `KILL_BEFORE`th rename in the working
 * folder beside the output, of three: list of files, published site aside, new site in its place. Before a
 * fourth means once the new site is published and what it replaced is being removed.
 */
import { rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const moment = Number(process.env.KILL_BEFORE);
const { rename } = fs;
let renames = 0;
fs.rename = async (from, to) => {
  if (`${from} ${to}`.includes('.site.work')) {
    renames++;
    if (renames === moment) process.kill(process.pid, 'SIGKILL');
  }
  await rename(from, to);
  if (moment === 4 && renames === 3) {
    rmSync(`${to}/../.site.work/former/index.html`);
    process.kill(process.pid, 'SIGKILL');
  }
};
syncBuiltinESMExports();
