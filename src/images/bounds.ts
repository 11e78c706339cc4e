import { availableParallelism, totalmem } from 'node:os';
import type { MediaConfig } from '../config/schema.ts';

/** Cores and memory in bytes of this machine, or of the container if it is smaller. */
export function machine() {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return {
    cores: availableParallelism(),
    // Without a limit, Node returns 0 or a number beyond any memory.
    memory: constrained > 0 ? Math.min(constrained, total) : total,
  };
}

const MB = 2 ** 20;
/** Memory of both processes and the pages before the first picture. */
const BASE = 300 * MB;
/** A picture in the encoder: its bytes, a decode of 12 megapixels, and all outputs (measured). */
const PER_PICTURE = 60 * MB;
/** Memory of a connection and of waiting pictures of 3 MB each. */
const PER_DOWNLOAD = 8 * MB;

const between = (low: number, value: number, high: number): number =>
  Math.max(low, Math.min(high, Math.floor(value)));

/**
 * How many pictures a machine downloads and encodes at the same time. One more picture than cores keeps the cores
 * busy while another is read or written (measured: 2–3 at 2 cores). Eight downloads hide 60 ms of latency from two
 * cores, and more cores need more. Plans with at most half of the remaining memory. Numbers above
 * zero in the loaded configuration, which only tests and benchmarks set, take precedence.
 */
export function decideBounds(
  { downloads, encoders }: Pick<MediaConfig, 'downloads' | 'encoders'>,
  { cores, memory }: ReturnType<typeof machine>,
) {
  const available = Math.max(0, memory - BASE) / 2;
  const decided = encoders || between(1, Math.min(cores + 1, available / PER_PICTURE), 64);
  const remaining = Math.max(0, available - decided * PER_PICTURE);
  return {
    encoders: decided,
    downloads:
      downloads || between(2, Math.min(Math.max(8, cores * 4), remaining / PER_DOWNLOAD), 32),
  };
}
