/** Runs one of the measurements in `scripts/bench/`: `npm run bench -- NAME`. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';

const folder = path.join(import.meta.dirname, 'bench');
const names = (await readdir(folder))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('-step.ts'))
  .map((file) => file.slice(0, -3));
const [name = ''] = process.argv.slice(2);
if (names.includes(name)) await import(path.join(folder, `${name}.ts`));
else {
  console.error(`Usage: npm run bench -- NAME, where NAME is one of: ${names.join(', ')}`);
  process.exitCode = 2;
}
