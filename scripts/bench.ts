/** `npm run bench -- NAME [options]`: runs `bench/NAME.ts`; without a name, says which there are. */
import { existsSync, readdirSync } from 'node:fs';

const [, script, name, ...options] = process.argv;
const file = new URL(`../bench/${name}.ts`, import.meta.url);
if (name !== undefined && /^[a-z-]+$/.test(name) && existsSync(file)) {
  process.argv = [process.execPath, script ?? '', ...options];
  await import(file.href);
} else {
  const names = readdirSync(new URL('../bench', import.meta.url))
    .filter((entry) => entry.endsWith('.ts'))
    .map((entry) => entry.slice(0, -3));
  console.error(`npm run bench -- NAME [options], where NAME is one of: ${names.join(', ')}`);
  process.exitCode = 2;
}
