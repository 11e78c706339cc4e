/** Preloaded by `--import`. At exit, prints the installed packages that a program loaded. */
import { registerHooks } from 'node:module';

const packages = new Set<string>();
registerHooks({
  load(url, context, next) {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
    if (name !== undefined) packages.add(name);
    return next(url, context);
  },
});
process.on('exit', () => console.log(`packages: ${[...packages].join(' ')}`));
