import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { drawPicture } from './draw.ts';
import type { PictureSpec } from './spec.ts';

/** Raised when the drawing changes, because ETags are made from specs, not from bytes. */
const DRAWING_VERSION = 5;

/** About 100 MB of usual pictures. */
const MOST_CACHED = 800;

/** Pictures drawn at the same time. Each takes one core and the memory of an uncompressed picture. */
const DRAWN_AT_ONCE = 2;

/**
 * Pictures, drawn on first use and cached in memory up to a limit. The least recently used are evicted
 * first. A second caller for a picture that is being drawn gets the same one.
 */
export class PictureStore {
  readonly seed: number;
  /** Share of its usual width and height that a picture is drawn at. */
  readonly scale: number;
  private readonly cache = new Map<string, Promise<Buffer>>();
  private readonly inTurn = pLimit(DRAWN_AT_ONCE);

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
    const picture = this.cache.get(key) ?? this.draw(key, spec);
    this.cache.delete(key);
    this.cache.set(key, picture);
    const [oldest] = this.cache.keys();
    if (this.cache.size > MOST_CACHED && oldest !== undefined) this.cache.delete(oldest);
    return picture;
  }

  private draw(key: string, spec: PictureSpec): Promise<Buffer> {
    const picture = this.inTurn(() => drawPicture(spec));
    picture.catch(() => this.cache.delete(key));
    return picture;
  }
}
