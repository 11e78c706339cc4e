import { unlink } from 'node:fs/promises';
import pLimit from 'p-limit';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import type { Download } from '../../download/download.ts';
import { collectGarbage } from '../../lib/garbage-collection.ts';
import type { ContentEntry, Fingerprints } from '../../record/pictures.ts';
import { decideBounds, machine } from '../bounds.ts';
import { Encoder } from '../encode/pool.ts';
import { outputName, withOutputs } from '../fingerprint.ts';
import { contentHash, outputNames } from '../recipes.ts';
import { putIncoming } from '../stores/folder.ts';
import { outputsIn } from '../stores/intact-outputs.ts';
import type { Outcome, PictureTask, PictureTaskPlan, ProcessPictures } from './tasks.ts';

async function load(baseUrl: string, media: MediaConfig, folder: string) {
  const { Downloader } = await import('../../download/download.ts');
  const downloader = new Downloader(baseUrl, media);
  const encoder = new Encoder({ concurrency: media.encoders, timeout: media.timeout, folder });
  return { downloader, encoder };
}

/**
 * Writes downloaded bytes to a file for the encoder and frees them, so that waiting pictures take no
 * memory.
 */
function stageDownload(download: Download, folder: string) {
  if (download.kind !== 'bytes') return download;
  const { bytes, validator } = download;
  const hash = contentHash(bytes);
  const file = putIncoming(folder, hash, bytes);
  const size = bytes.length;
  if (bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
  collectGarbage();
  return { kind: 'staged' as const, hash, file, size, validator };
}

type Staged = Extract<ReturnType<typeof stageDownload>, { kind: 'staged' }>;
type Tools = ReturnType<typeof openTools>;

/**
 * Downloader and encoder for one machine, with separate limits on concurrency. Their code is loaded at the first
 * picture.
 */
export function openTools({
  baseUrl,
  media,
  folder,
}: Pick<PictureTaskPlan, 'baseUrl' | 'media' | 'folder'>) {
  const bounds = decideBounds(media, machine());
  const downloads = pLimit(bounds.downloads);
  // Loading downloader and encoder takes longer than comparing 20,000 pictures without work.
  let loaded: ReturnType<typeof load> | undefined;
  const open = () => {
    loaded ??= load(baseUrl, { ...media, ...bounds }, folder);
    return loaded;
  };
  return {
    bounds,
    media,
    get: ({ source, entry, step }: PictureTask, signal: AbortSignal | undefined) =>
      downloads(async () => {
        const { downloader } = await open();
        const validator = step.kind === 'revalidate' ? entry?.validator : undefined;
        return stageDownload(await downloader.get(source.url ?? '', validator, signal), folder);
      }),
    encoder: async () => (await open()).encoder,
    [Symbol.asyncDispose]: async () => {
      if (!loaded) return;
      const { encoder, downloader } = await loaded;
      await encoder[Symbol.asyncDispose]();
      await downloader[Symbol.asyncDispose]();
    },
  };
}

type ProcessOptions = Pick<
  PictureTaskPlan,
  'existing' | 'contents' | 'folder' | 'store' | 'signal'
> & {
  /** Finds existing outputs of bytes that have no entry. */
  findOutputs: (hash: string, task: PictureTask) => Promise<Fingerprints>;
};

type MakeResult =
  | { ok: true; content: ContentEntry; newOutputs: { name: string; bytes: number }[] }
  | { ok: false; code: string; message: string };

/**
 * Returns a function that processes one source: it downloads the picture, makes its missing outputs, puts them into
 * the store and returns the outcome. It may be called for several sources at the same time. A picture that cannot be
 * downloaded or decoded fails without affecting others.
 */
export function pictureProcessor(
  tools: Tools,
  { existing, contents, folder, store, signal, findOutputs }: ProcessOptions,
) {
  const encode = async ({ hash, file }: Staged, task: PictureTask): Promise<MakeResult> => {
    const { recipes } = task.source;
    const content = contents.get(hash);
    const fingerprints = content?.outputs ?? (await findOutputs(hash, task));
    const names = content
      ? outputNames({ hash, ...content }, recipes)
      : Object.keys(fingerprints).map((suffix) => outputName(hash, suffix));
    const have = content ? names.filter((name) => existing.has(name)) : names;
    if (content && have.length === names.length) return { ok: true, content, newOutputs: [] };
    const encoder = await tools.encoder();
    const job = { hash, file, recipes, have, maxPixels: tools.media.maxPixels };
    const outcome = await encoder.encode(job);
    if (!outcome.ok) return outcome;
    const { colour, newOutputs } = outcome;
    const { width, height } = outcome.content;
    const entry = { width, height, colour, outputs: withOutputs(fingerprints, newOutputs) };
    contents.set(hash, entry);
    for (const name of have) existing.add(name);
    for (const { name } of newOutputs) existing.add(name);
    return {
      ok: true,
      content: entry,
      newOutputs: newOutputs.map(({ name, bytes }) => ({ name, bytes })),
    };
  };
  const running = new Map<string, Promise<MakeResult>>();
  /** Equal bytes of several sources are processed one after another, so that they are encoded once. */
  const make = async (picture: Staged, task: PictureTask): Promise<MakeResult> => {
    const { hash } = picture;
    for (let earlierRun = running.get(hash); earlierRun; earlierRun = running.get(hash))
      await earlierRun;
    const result = encode(picture, task).finally(() => running.delete(hash));
    running.set(hash, result);
    return result;
  };
  return async (task: PictureTask): Promise<Outcome> => {
    const { source, entry, step } = task;
    signal?.throwIfAborted();
    const result = await tools.get(task, signal);
    signal?.throwIfAborted();
    if (result.kind === 'failed') return { ok: false, code: result.code, message: result.message };
    const { vehicleDate } = source;
    if (result.kind === 'unchanged') {
      // Only a conditional request has this result, and only known pictures have a validator for it.
      if (!entry || !task.content) throw new Error('An unknown picture cannot be unchanged');
      return {
        ok: true,
        entry: { validator: entry.validator, vehicleDate, hash: entry.hash },
        content: task.content,
        revalidated: true,
        newOutputs: [],
      };
    }
    const outputs = await make(result, task);
    await unlink(result.file);
    const { hash, validator, size: downloadedBytes } = result;
    if (!outputs.ok) {
      return { ok: false, code: outputs.code, message: outputs.message, downloadedBytes };
    }
    const { content, newOutputs } = outputs;
    return {
      ...outputs,
      content: store ? await store.putOutputs(content, newOutputs, folder) : content,
      entry: { validator, vehicleDate, hash },
      revalidated: entry?.hash === hash && step.kind === 'revalidate',
      downloadedBytes,
    };
  };
}

/** Processes pictures in this process and its encoder. */
export const processHere: ProcessPictures = async (plan, notify) => {
  const { tasks, folder, limit, signal } = plan;
  await using tools = openTools(plan);
  const findOutputs = async (hash: string) => outputsIn(folder, hash);
  const processPicture = pictureProcessor(tools, { ...plan, findOutputs });
  const { downloads, encoders } = tools.bounds;
  // The sum of both limits keeps downloads and encoders busy. More would only add waiting pictures.
  const processTask = async (task: PictureTask) => {
    if (limit && !limit.time.mayBegin(task, limit.urgent)) return;
    const outcome = await processPicture(task);
    // A picture that was interrupted by the end of the run is neither failed nor done.
    if (!outcome.ok) signal?.throwIfAborted();
    notify(task, outcome);
  };
  await pMap(tasks, processTask, { concurrency: downloads + encoders });
};
