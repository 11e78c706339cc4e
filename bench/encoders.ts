/**
 * `npm run bench -- encoders`: what each encoder setting costs and gives, so that the defaults can
 * be argued with. The same decoded pixels of each width go to every setting; CPU, bytes, and
 * similarity to those pixels are taken over all pictures.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { Run } from '../src/lib/command-line/definition.ts';
import type { ENCODERS_OPTIONS } from './commands.ts';
import { OUTPUTS } from './runners/outputs.ts';
import { median } from './support/measure.ts';
import { machineText, replaceBetweenMarkers, storeResults, today } from './support/report.ts';
import { psnr, ssim } from './support/similarity.ts';
import { openWorkspace } from './support/workspace.ts';

type Encode = (pixels: Sharp, quality: number) => Sharp;

interface Setting {
  name: string;
  encode: Encode;
  /** Quality at which the bytes are compared first; others are found by similarity. */
  quality: number;
}

const webp = (effort: number, isDefault = false): Setting => ({
  name: `WebP effort ${effort}${isDefault ? ' (default)' : ''}`,
  encode: (pixels, quality) => pixels.webp({ quality, effort }),
  quality: 75,
});
const avif = (effort: number): Setting => ({
  name: `AVIF effort ${effort}, 4:2:0`,
  encode: (pixels, quality) => pixels.avif({ quality, effort, chromaSubsampling: '4:2:0' }),
  quality: 50,
});

const SETTINGS: Setting[] = [
  webp(4),
  webp(0),
  webp(2, true),
  webp(6),
  avif(0),
  avif(2),
  {
    name: 'JPEG (default fallback)',
    encode: (pixels, quality) => pixels.jpeg({ quality }),
    quality: 78,
  },
  {
    name: 'JPEG, mozjpeg',
    encode: (pixels, quality) => pixels.jpeg({ quality, mozjpeg: true }),
    quality: 78,
  },
];

interface Pixels {
  data: Buffer;
  width: number;
  height: number;
}

interface Outcome {
  cpu: number;
  bytes: number;
  ssim: number;
  psnr: number;
}

const fromPixels = ({ data, width, height }: Pixels): Sharp =>
  sharp(data, { raw: { width, height, channels: 3 } });

async function tryOne(setting: Setting, quality: number, all: Pixels[]): Promise<Outcome> {
  let cpu = 0;
  let bytes = 0;
  const similarities: { ssim: number; psnr: number }[] = [];
  for (const pixels of all) {
    const before = process.cpuUsage();
    const encoded = await setting.encode(fromPixels(pixels), quality).toBuffer();
    const { user, system } = process.cpuUsage(before);
    cpu += (user + system) / 1e6;
    bytes += encoded.length;
    const decoded = await sharp(encoded).toColourspace('srgb').removeAlpha().raw().toBuffer();
    const { width } = pixels;
    similarities.push({
      ssim: ssim(pixels.data, decoded, width),
      psnr: psnr(pixels.data, decoded),
    });
  }
  const mean = (key: 'ssim' | 'psnr') =>
    similarities.reduce((sum, one) => sum + one[key], 0) / similarities.length;
  return { cpu, bytes, ssim: mean('ssim'), psnr: mean('psnr') };
}

/** The lowest quality whose similarity reaches that of the reference. */
async function atEqualSimilarity(setting: Setting, goal: number, all: Pixels[]) {
  let [low, high] = [20, 98];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { ssim } = await tryOne(setting, middle, all);
    if (ssim >= goal) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function decodeAll(
  folder: string,
  { pictures: count, short }: { pictures: number; short: boolean },
): Promise<Pixels[]> {
  const widths = short ? [Math.min(...OUTPUTS.widths)] : OUTPUTS.widths;
  const names = (await readdir(folder)).sort();
  const step = Math.max(1, Math.floor(names.length / count));
  const all: Pixels[] = [];
  for (const name of names.filter((_, index) => index % step === 0).slice(0, count)) {
    const bytes = await readFile(path.join(folder, name));
    for (const width of widths) {
      const { data, info } = await sharp(bytes)
        .resize({ width, withoutEnlargement: true })
        .raw()
        .toBuffer({ resolveWithObject: true });
      all.push({ data, width: info.width, height: info.height });
    }
  }
  return all;
}

export const run: Run<typeof ENCODERS_OPTIONS> = async ({ values }) => {
  const workspace = await openWorkspace(values.photos);
  const all = await decodeAll(workspace.photos, values);
  await workspace.remove();
  const reference = await tryOne(webp(4), 75, all);
  const qualities = new Map<Setting, number>();
  for (const setting of SETTINGS) {
    qualities.set(setting, await atEqualSimilarity(setting, reference.ssim, all));
    console.log(
      `${setting.name}: quality ${qualities.get(setting)} for SSIM ${reference.ssim.toFixed(4)}`,
    );
  }
  const outcomes = new Map<Setting, Outcome[]>(SETTINGS.map((setting) => [setting, []]));
  for (let run = 0; run < values.runs; run++) {
    for (const setting of SETTINGS) {
      outcomes.get(setting)?.push(await tryOne(setting, qualities.get(setting) ?? 75, all));
    }
  }
  const rows = SETTINGS.map((setting) => {
    const list = outcomes.get(setting) ?? [];
    const of = (key: keyof Outcome) => median(list.map((one) => one[key]));
    return {
      name: setting.name,
      quality: qualities.get(setting) ?? 0,
      cpu: of('cpu'),
      bytes: of('bytes'),
      ssim: of('ssim'),
      psnr: of('psnr'),
    };
  });
  const [base] = rows;
  if (!base) throw new Error('no settings');
  const lines = rows.map(
    ({ name, quality, cpu, bytes, ssim, psnr }) =>
      `| ${name} | ${quality} | ${(cpu / base.cpu).toFixed(2)} | ${(bytes / base.bytes).toFixed(2)} | ${ssim.toFixed(4)} | ${psnr.toFixed(1)} dB |`,
  );
  const results = { machine: machineText(), date: today(), outputs: all.length, rows };
  await storeResults('encoders', results, values);
  await replaceBetweenMarkers(
    'docs/performance.md',
    'encoders',
    `Measured on ${machineText()}, ${today()}: ${all.length} outputs of drawn pictures and pictures of cameras, medians of ${values.runs}. Each setting at the lowest quality that reaches the similarity of WebP effort 4 at quality 75; CPU and bytes relative to that one.\n\n| Setting | Quality for equal SSIM | CPU | Bytes | SSIM | PSNR |\n| --- | --- | --- | --- | --- | --- |\n${lines.join('\n')}`,
    values,
  );
  return 0;
};
