/**
 * Publishes by two renames, as where the system cannot exchange folders: this process finds no koffi.
 * Arguments: the output folder, and for how many milliseconds renames are tried again.
 */
import { writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'koffi') throw new Error('not installed for this platform');
    return next(specifier, context);
  },
});

const { swap } = await import('../../src/publish/swap.ts');
const [, , output = '', patience] = process.argv;
try {
  await swap(output, (file) => writeFile(file, 'manifest'), Number(patience));
  console.log('published');
} catch (error) {
  const { code, message, fix } = error as { code: string; message: string; fix: string };
  console.log(JSON.stringify({ code, message, fix }));
}
