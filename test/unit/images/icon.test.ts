import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { iconPng, initialIcon, logoIcon } from '../../../src/images/icon.ts';

const COLOURS = { ground: '#0f766e', on: '#ffffff' };

const pixelsOf = (png: Buffer) =>
  sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });

/** Share of an icon's pixels that are closer to white than to the background. */
async function inked(png: Buffer): Promise<number> {
  const { data, info } = await pixelsOf(png);
  let light = 0;
  for (let at = 0; at < data.length; at += info.channels) if ((data[at] ?? 0) > 128) light++;
  return light / (info.width * info.height);
}

describe('the icon of a name', () => {
  it.each(['Northgate Cars', '4x4 Centre', '日本'])(
    '%s: a letter on a background, with the same bytes each time',
    async (name) => {
      const svg = initialIcon(name, COLOURS);
      const png = await iconPng(svg, 192);
      expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 192, height: 192 });
      expect(await inked(png)).toBeGreaterThan(0.02);
      expect(await inked(png)).toBeLessThan(0.3);
      expect(await iconPng(initialIcon(name, COLOURS), 192)).toEqual(png);
    },
  );

  it('differs by letter and ignores accents', () => {
    expect(initialIcon('Autohaus', COLOURS)).not.toBe(initialIcon('Bertram', COLOURS));
    expect(initialIcon('Ökoauto', COLOURS)).toBe(initialIcon('orbit', COLOURS));
    expect(initialIcon('Łódź Auto', COLOURS)).toBe(initialIcon('Lodz', COLOURS));
  });
});

describe('the icon of a logo', () => {
  const picture = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#b4232f' } })
      .png()
      .toBuffer();

  it.each([
    ['white', '', [255, 255, 255]],
    ['black, if the logo is invisible on white,', 'dark', [22, 25, 29]],
  ] as const)('is the logo on %s with a margin', async (_, ground, colour) => {
    const bytes = await picture(300, 250);
    const logo = { bytes, width: 300, height: 250, ground };
    const { data, info } = await pixelsOf((await logoIcon(logo, 192, false)) ?? Buffer.alloc(0));
    const at = (x: number, y: number) => {
      const start = (y * info.width + x) * info.channels;
      return [...data.subarray(start, start + 3)];
    };
    expect(info).toMatchObject({ width: 192, height: 192 });
    expect(at(5, 5)).toEqual(colour);
    expect(at(96, 96)).toEqual([180, 35, 47]);
  });

  it.each([
    [300, 300],
    [300, 200],
    [200, 300],
  ])('of %i × %i pixels is within the circle of a maskable icon', async (width, height) => {
    const logo = { bytes: await picture(width, height), width, height, ground: '' } as const;
    const { data, info } = await pixelsOf((await logoIcon(logo, 512, true)) ?? Buffer.alloc(0));
    expect(info).toMatchObject({ width: 512, height: 512 });
    let farthest = 0;
    for (let at = 0; at < data.length; at += info.channels) {
      if ((data[at + 1] ?? 0) > 128) continue;
      const [x, y] = [(at / info.channels) % 512, Math.floor(at / info.channels / 512)];
      farthest = Math.max(farthest, Math.hypot(x - 255.5, y - 255.5));
    }
    expect(farthest / 512).toBeLessThan(0.402);
    expect(farthest / 512).toBeGreaterThan(0.39);
  });

  it('is not created from a wide logo', async () => {
    const logo = { bytes: await picture(400, 100), width: 400, height: 100, ground: '' } as const;
    expect(await logoIcon(logo, 192, false)).toBeUndefined();
  });
});
