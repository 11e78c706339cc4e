/* Runs before every npm script of a clone. Old Nodes must be able to read this file. */
var fs = require('fs');
var path = require('path');

var problem = '';
var fix = 'Run this first: npm ci';
if (!fs.existsSync(path.join(__dirname, '../node_modules/zod'))) {
  problem = 'The packages of this repository are not installed.';
} else if (Number(process.versions.node.split('.')[0]) < 24) {
  problem = 'This repository needs Node 24 or newer; this is ' + process.versions.node + '.';
  fix += ' (it installs one). If your platform has none among the packages, install Node 24.';
}
if (problem !== '') {
  console.error(problem + '\n  Do:  ' + fix);
  process.exit(2);
}
