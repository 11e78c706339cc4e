#!/usr/bin/env node
/**
 * The command of the installed package: `npx --no -- vehicle-media-site build`. What an old Node cannot read is
 * loaded after its version was looked at.
 */
const [major = ''] = process.versions.node.split('.');
if (Number(major) < 24) {
  console.error(
    `vehicle-media-site needs Node 24 or newer. This is ${process.versions.node}.\nInstall a newer one: https://nodejs.org/en/download`,
  );
  process.exit(2);
}

const { enableCompileCache } = await import('node:module');
const { programCacheFolder } = await import('../lib/own-package.ts');
// Where it cannot be written, nothing is kept. Not where Node would put it: a folder that all users of a
// machine may write to must not say what runs beside a key.
enableCompileCache(programCacheFolder('compiled'));

const { NPM, NPX, SITE } = await import('./commands.ts');
const { runProcess } = await import('../lib/command-line/process.ts');
const { loadEnvironmentFile } = await import('../config/environment.ts');

const [name] = process.argv.slice(2);
// A script of the project's package.json is called by its name, as npm says in this variable.
const program = process.env.npm_lifecycle_event === name ? NPM : NPX;
// pnpm hands on the "--" of "pnpm run build -- --strict", which npm takes away.
const words = process.argv.slice(2);
const dashes = program === NPM ? words.indexOf('--') : -1;
if (dashes >= 0) words.splice(dashes, 1);
await runProcess(SITE, words, {
  env: process.env,
  program: { ...program, prepare: async () => loadEnvironmentFile() },
});
