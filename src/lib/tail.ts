import type { Readable } from 'node:stream';

/** Reads the error stream of a process. @returns a function with its last 2,000 characters so far, for messages. */
export function tailOf(stream: Readable | null): () => string {
  let tail = '';
  stream?.on('data', (text: Buffer) => {
    tail = (tail + text.toString('utf8')).slice(-2000);
  });
  return () => tail;
}
