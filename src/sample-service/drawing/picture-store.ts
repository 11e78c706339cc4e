import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { drawPicture } from './draw.ts';
import type { PictureSpec } from './spec.ts';

/** Raised when the drawing changes, because ETags are made from specs, not from bytes. */
const DRAWING_VERSION = 5;

/** About 100 MB of usual pictures. */
const MOST_KEPT = 800;

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
  private readonly kept = new Map<string, Promise<Buffer>>();
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
    const picture = this.kept.get(key) ?? this.draw(key, spec);
    this.kept.delete(key);
    this.kept.set(key, picture);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST_KEPT && oldest !== undefined) this.kept.delete(oldest);
    return picture;
  }

  private draw(key: string, spec: PictureSpec): Promise<Buffer> {
    const picture = this.inTurn(() => drawPicture(spec));
    picture.catch(() => this.kept.delete(key));
    return picture;
  }
}
