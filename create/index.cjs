#!/usr/bin/env node
/* Old Nodes must be able to read this file, because it prints which Node is missing. */
var major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    'vehicle-media-site needs Node 24 or newer. This is ' +
      process.versions.node +
      '.\nNothing was changed. Install a newer one: https://nodejs.org/en/download',
  );
  process.exitCode = 2;
} else {
  import('./create.js');
}
