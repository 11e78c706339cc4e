import { linkSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import type { LoadedConfig } from '../../src/config/load.ts';
import { fingerprintOf, withOutputs } from '../../src/images/fingerprint.ts';
import { planSources, type Source } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { contentHash, outputNames, outputSuffixes } from '../../src/images/recipes.ts';
import { putOutput } from '../../src/images/stores/folder.ts';
import { claimCache } from '../../src/publish/folder-checks/check.ts';
import type { KnownPictures } from '../../src/record/known-pictures.ts';
import { recordsFolder } from '../../src/record/published-records.ts';
import { acceptAnswer } from '../../src/stock/accept.ts';
import { openPictureRecords } from './picture-records.ts';

/** Maximum of different pictures in the store. Beyond it, vehicles reuse them. */
const CONTENTS = 20_000;
/** Common file systems allow 65,000 hard links of a file. Store, published and former site have one each. */
const LINKS = 10_000;

export const CONTENT = { width: 1600, height: 1200, colour: '808080' };

/** Records a picture with all outputs of its recipes, without decoding it. @returns their names. */
export function recordPicture(
  known: KnownPictures,
  { key, vehicleDate, recipes }: Source,
  { hash, validator, fingerprint }: { hash: string; validator: string; fingerprint: string },
): string[] {
  const names = outputNames({ hash, ...CONTENT }, recipes);
  const made = names.map((name) => ({ name, fingerprint }));
  const outputs = withOutputs(undefined, made);
  known.record(key, { validator, vehicleDate, hash }, { ...CONTENT, outputs });
  return names;
}

/**
 * A media store like after a build of the stock, without decoding: names and records are correct, the files
 * are links to one picture.
 */
export async function fillStore(
  config: LoadedConfig,
  cacheDir: string,
  now: number,
): Promise<void> {
  await claimCache(cacheDir, config);
  const folder = path.join(cacheDir, 'media', 'files');
  const { known, save } = await openPictureRecords(
    recordsFolder(cacheDir, config),
    config.dealers.map(({ id }) => String(id)),
  );
  const shown: [string, readonly string[]][] = [];
  // Social cards need a picture that can be decoded, at least as large as the recorded thumbnails.
  const create = { ...CONTENT, channels: 3 as const, background: '#808080' };
  const bytes = await sharp({ create }).webp().toBuffer();
  const fingerprint = fingerprintOf(bytes);
  const book = recipeBook(config.media);
  const shards = new Set<string>();
  let written = 0;
  let file = '';
  let number = 0;
  const done = new Set<string>();
  for (const dealer of config.dealers) {
    const url = new URL(`${config.service.baseUrl}/PublicAPI/GetMediaByDealer`);
    url.searchParams.set('dealerId', String(dealer.id));
    const body = (await (await fetch(url)).json()) as unknown[];
    const { vehicles } = acceptAnswer(body, dealer.id, config.service.fieldNames);
    for (const source of planSources(vehicles, book)) {
      const hash = contentHash(Buffer.from(`picture ${number++ % CONTENTS}`));
      shown.push([source.key, outputSuffixes(CONTENT, source.recipes)]);
      for (const name of recordPicture(known, source, { hash, validator: '"1"', fingerprint })) {
        if (done.has(name)) continue;
        done.add(name);
        const shard = path.dirname(path.join(folder, name));
        if (!shards.has(shard)) mkdirSync(shard, { recursive: true });
        shards.add(shard);
        const target = path.join(folder, name);
        if (written++ % LINKS === 0) {
          file = target;
          await putOutput(folder, name, bytes, fingerprint);
        } else linkSync(file, target);
      }
    }
  }
  known.show(shown);
  await save(now);
}
