/**
 * Preloaded by `--import`. Ends a build by SIGKILL before the first step that matches the pattern
 * `KILL_BEFORE`, after skipping `KILL_SKIP` steps. With `KILL_AFTER`, it ends after the step, once a file of
 * the former site is removed. Steps are `rename FROM TO` and `remove FILE`.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { KILL_BEFORE, KILL_AFTER, KILL_SKIP = '0' } = process.env;
const { renameSync, rmSync } = fs;
let left = Number(KILL_SKIP);
const fits = (pattern: string | undefined, step: string): boolean =>
  pattern !== undefined && new RegExp(pattern).test(step);
const kill = (): boolean => process.kill(process.pid, 'SIGKILL');
const before = (step: string): void => {
  if (fits(KILL_BEFORE, step) && left-- === 0) kill();
};

fs.renameSync = (from, to) => {
  before(`rename ${from} ${to}`);
  renameSync(from, to);
  if (!fits(KILL_AFTER, `rename ${from} ${to}`)) return;
  rmSync(`${to}/../.site.work/former/index.html`);
  kill();
};
fs.rmSync = (file, options) => {
  before(`remove ${file}`);
  rmSync(file, options);
};
syncBuiltinESMExports();
