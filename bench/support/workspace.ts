import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cameraPhotos, drawPhotos, pictureOf, variant } from './photos.ts';

/** Increase it when the drawing changes. */
const DRAWING = 1;
const SEED = 1;

/** Folder of the benchmark with its pictures. Drawn pictures are kept between runs. */
export interface Workspace {
  folder: string;
  /** The pictures as they are. */
  photos: string;
  /** A new name below the folder. */
  fresh(name: string): string;
  /** A folder with sources 0 to `count - 1` as files, with the bytes of the server. */
  files(count: number): Promise<string>;
  remove(): Promise<void>;
}

async function drawnPhotos(short: boolean): Promise<string> {
  const [count, scale] = short ? [2, 0.25] : [20, 1];
  const folder = path.join('node_modules', '.cache', `bench-photos-${DRAWING}-${SEED}-${count}`);
  if (existsSync(folder)) return folder;
  console.log(`Drawing ${count} pictures`);
  await mkdir(`${folder}.part`, { recursive: true });
  for (const { name, bytes } of await drawPhotos(SEED, count, scale)) {
    await writeFile(path.join(`${folder}.part`, `${name}.jpg`), bytes);
  }
  await rename(`${folder}.part`, folder);
  return folder;
}

/** @param options.photos folder with JPEGs of cameras. */
export async function openWorkspace(options: {
  photos?: string | undefined;
  short: boolean;
}): Promise<Workspace> {
  const folder = await mkdtemp(path.join(tmpdir(), 'media-bench-'));
  const photos = path.join(folder, 'photos');
  await mkdir(photos);
  const drawn = await drawnPhotos(options.short);
  const all: { name: string; bytes: Buffer }[] = await Promise.all(
    (await readdir(drawn)).map(async (name) => ({
      name,
      bytes: await readFile(path.join(drawn, name)),
    })),
  );
  const camera = options.photos ? await cameraPhotos(options.photos) : [];
  all.push(...camera.map(({ name, bytes }) => ({ name: `camera-${name}.jpg`, bytes })));
  for (const { name, bytes } of all) await writeFile(path.join(photos, name), bytes);
  let counter = 0;
  return {
    folder,
    photos,
    fresh: (name) => path.join(folder, `${name}-${counter++}`),
    async files(count) {
      const to = path.join(folder, `files-${count}`);
      if (existsSync(to)) return to;
      await mkdir(to);
      const names = (await readdir(photos)).sort();
      for (let number = 0; number < count; number++) {
        const name = names[pictureOf(number, names.length)] ?? '';
        const bytes = await readFile(path.join(photos, name));
        await writeFile(path.join(to, `${number}.jpg`), variant(bytes, number));
      }
      return to;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
