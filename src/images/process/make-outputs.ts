import type { ContentEntry, Fingerprints } from '../../record/pictures.ts';
import type { EncodeJob, Encoder } from '../encode/pool.ts';
import { outputName, withOutputs } from '../fingerprint.ts';
import { outputsFor, type Recipe } from '../recipes.ts';
import type { Names } from './tasks.ts';

export interface MakerOptions {
  /** Returns the encoder, which is opened on first use. */
  encoder: () => Promise<Pick<Encoder, 'encode'>>;
  /** Names of the outputs in the store. New ones are added. */
  existing: Names;
  /** Entries of known bytes by their hash. New ones are added. */
  contents: Map<string, ContentEntry>;
  maxPixels: number;
}

/** A picture that was downloaded: its bytes are in a file, not in memory. */
export interface DownloadedPicture {
  /** Hash of the bytes, see `contentHash`. */
  hash: string;
  file: string;
  /** Existing outputs of bytes that have no entry. */
  found?: Fingerprints;
}

export type MadeOutputs =
  | { ok: true; hash: string; content: ContentEntry; made: { name: string; bytes: number }[] }
  | { ok: false; code: string; message: string };

/**
 * Makes the outputs of bytes that do not exist. Equal bytes of several sources are processed once: known
 * ones are not decoded again, and a second request waits for the one in progress.
 */
export class Maker {
  readonly #options: MakerOptions;
  readonly #underWay = new Map<string, Promise<MadeOutputs>>();

  constructor(options: MakerOptions) {
    this.#options = options;
  }

  async make(
    { hash, file, found = {} }: DownloadedPicture,
    recipes: readonly Recipe[],
  ): Promise<MadeOutputs> {
    for (;;) {
      const other = this.#underWay.get(hash);
      if (!other) break;
      await other;
    }
    const { contents, existing } = this.#options;
    const content = contents.get(hash);
    const wanted = content && outputsFor({ hash, ...content }, recipes);
    if (content && wanted?.every(({ name }) => existing.has(name))) {
      return { ok: true, hash, content, made: [] };
    }
    const have = wanted
      ? wanted.flatMap(({ name }) => (existing.has(name) ? [name] : []))
      : Object.keys(found).map((suffix) => outputName(hash, suffix));
    const known = content?.outputs ?? found;
    const work = this.#encode({ hash, file, recipes, have }, known).finally(() =>
      this.#underWay.delete(hash),
    );
    this.#underWay.set(hash, work);
    return work;
  }

  async #encode(job: Omit<EncodeJob, 'maxPixels'>, known: Fingerprints): Promise<MadeOutputs> {
    const { hash } = job;
    const { maxPixels, existing, contents } = this.#options;
    const encoder = await this.#options.encoder();
    const outcome = await encoder.encode({ ...job, maxPixels });
    if (!outcome.ok) return outcome;
    const { colour, made } = outcome;
    const { width, height } = outcome.content;
    const content = { width, height, colour, outputs: withOutputs(known, made) };
    contents.set(hash, content);
    for (const name of job.have ?? []) existing.add(name);
    for (const { name } of made) existing.add(name);
    return { ok: true, hash, content, made: made.map(({ name, bytes }) => ({ name, bytes })) };
  }
}
