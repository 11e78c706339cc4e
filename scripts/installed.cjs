/*
 * Runs before every npm script of a clone. Old Nodes must be able to read this file. Scripts that load the program
 * preload it, because it also makes Node cache compiled code for the next run.
 */
const fs = require('node:fs');
const { enableCompileCache } = require('node:module');
const path = require('node:path');

const version = process.versions.node;
let problem;
if (!fs.existsSync(path.join(__dirname, '../node_modules/zod'))) {
  problem = 'The packages of this repository are not installed.\n  Do:  Run this first: npm ci';
} else if (Number(version.split('.')[0]) < 24) {
  problem = `This repository needs Node 24 or newer. This is ${version}.
  Do:  Run npm ci, which installs one. If it has none for your platform, install Node 24 or newer.`;
}
if (problem) {
  console.error(problem);
  process.exit(2);
}

// Stripping types and compiling is two thirds of the time to load a build. The cache is next to the packages, not in
// Node's default folder: all users of a machine may write there, and the cached code runs with keys. `npm ci` removes
// the cache. If the folder is read-only, nothing is cached. Node 20 has no cache.
if (enableCompileCache) enableCompileCache(path.join(__dirname, '../node_modules/.cache/compiled'));
