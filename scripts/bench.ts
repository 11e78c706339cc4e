/** `npm run bench -- NAME [options]`: runs `bench/NAME.ts`; without a name, says which there are. */
import { readdirSync } from 'node:fs';

const folder = new URL('../bench/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3));
const [, script = '', name = '', ...options] = process.argv;
if (names.includes(name)) {
  process.argv = [process.execPath, script, ...options];
  await import(new URL(`${name}.ts`, folder).href);
} else {
  console.error(
    `Usage: npm run bench -- NAME [options], where NAME is one of: ${names.join(', ')}`,
  );
  process.exitCode = 2;
}
