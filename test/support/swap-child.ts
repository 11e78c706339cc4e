/**
 * Publishes as another user may have to, in a process of its own.
 * Arguments: the output folder, for how many milliseconds renames are tried again, and `media` where
 * thumbnails stay.
 */
import { swap } from '../../src/publish/output/swap.ts';

const [, , output = '', patience, what] = process.argv;
try {
  await swap(output, { patience: Number(patience), mediaStays: what === 'media' });
  console.log('published');
} catch (error) {
  const { code, message, fix } = error as { code: string; message: string; fix: string };
  console.log(JSON.stringify({ code, message, fix }));
}
