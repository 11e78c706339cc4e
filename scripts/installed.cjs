/* Runs before every npm script of a clone. Old Nodes must be able to read this file. */
const fs = require('node:fs');
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
