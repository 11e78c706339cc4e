#!/usr/bin/env node
/**
 * The command of the installed package: `npx --no -- vehicle-media-site build`. Code that an old Node cannot read
 * is loaded after the check of the version.
 */
import { wrongNode } from '../lib/wrong-node.ts';

if (wrongNode) {
  console.error(wrongNode);
  process.exit(2);
}

const { enableCompileCache } = await import('node:module');
const { programCacheFolder } = await import('../lib/own-package.ts');
const { readEnvironment, runsInCi } = await import('../config/environment.ts');
// Without write access, nothing is cached. Node's default folder is not used: all users of a machine can write to
// it, and could change code that reads keys. In a CI, which starts without a cache, writing takes longer than it saves.
if (!runsInCi(process.env)) enableCompileCache(programCacheFolder('compiled'));

const { NPM, NPX, SITE } = await import('./commands.ts');
const { runProcess } = await import('../lib/command-line/process.ts');

const [name] = process.argv.slice(2);
// npm sets this variable to the name of the script in package.json that it runs.
const program = process.env.npm_lifecycle_event === name ? NPM : NPX;
// pnpm passes on the "--" of "pnpm run build -- --strict". npm removes it.
const args = process.argv.slice(2);
const dashes = program === NPM ? args.indexOf('--') : -1;
if (dashes >= 0) args.splice(dashes, 1);
await runProcess(SITE, args, {
  env: process.env,
  program: { ...program, prepare: async () => void readEnvironment() },
});
