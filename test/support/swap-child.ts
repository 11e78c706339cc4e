/**
 * Publishes as another user may have to, in a process of its own.
 * Arguments: the output folder, and for how many milliseconds renames are tried again.
 */
import { swap } from '../../src/publish/output/swap.ts';

const [, , output = '', timeout] = process.argv;
try {
  await swap(output, { timeout: Number(timeout) });
  console.log('published');
} catch (error) {
  const { code, message, fix } = error as { code: string; message: string; fix: string };
  console.log(JSON.stringify({ code, message, fix }));
}
