import { createHash } from 'node:crypto';
import { drawPicture } from './draw.ts';
import type { PictureSpec } from './spec.ts';

/** Raised when the drawing changes, because ETags are made from specs, not from bytes. */
const DRAWING_VERSION = 4;

const CACHE_BYTES = 128 * 1024 * 1024;

/** Drawn at the same time; each takes one core and the memory of an uncompressed picture. */
const DRAWN_AT_ONCE = 2;

/**
 * Pictures, drawn when first asked for and kept in memory up to a bound, the least recently used
 * going first. A picture that is being drawn is not drawn a second time for a second caller.
 */
export class PictureStore {
  readonly seed: number;
  /** Share of its usual width and height that a picture is drawn at. */
  readonly scale: number;
  private readonly kept = new Map<string, Buffer>();
  private keptBytes = 0;
  private readonly underWay = new Map<string, Promise<Buffer>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(seed: number, scale = 1) {
    this.seed = seed;
    this.scale = scale;
  }

  /** Strong ETag, quotes included, known without drawing. */
  etag(spec: PictureSpec): string {
    const text = JSON.stringify([DRAWING_VERSION, spec]);
    return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  }

  /** The JPEG of a spec. */
  get(spec: PictureSpec): Promise<Buffer> {
    const key = this.etag(spec);
    const kept = this.kept.get(key);
    if (kept) {
      this.kept.delete(key);
      this.kept.set(key, kept);
      return Promise.resolve(kept);
    }
    const begun = this.underWay.get(key) ?? this.draw(key, spec);
    this.underWay.set(key, begun);
    return begun;
  }

  private async draw(key: string, spec: PictureSpec): Promise<Buffer> {
    try {
      const bytes = await this.inTurn(() => drawPicture(spec));
      this.keep(key, bytes);
      return bytes;
    } finally {
      this.underWay.delete(key);
    }
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= DRAWN_AT_ONCE) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.running++;
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private keep(key: string, bytes: Buffer): void {
    this.kept.set(key, bytes);
    this.keptBytes += bytes.length;
    for (const [oldest, { length }] of this.kept) {
      if (this.keptBytes <= CACHE_BYTES) break;
      this.kept.delete(oldest);
      this.keptBytes -= length;
    }
  }
}
