import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawPicture } from '../../../src/sample-service/drawing/draw.ts';
import { lettering } from '../../../src/sample-service/drawing/glyphs.ts';
import { BODY_KINDS, type CarLook } from '../../../src/sample-service/drawing/look.ts';
import { PictureStore } from '../../../src/sample-service/drawing/picture-store.ts';
import { composeScene } from '../../../src/sample-service/drawing/scene.ts';
import { type PictureSpec, VIEWS } from '../../../src/sample-service/drawing/spec.ts';

const look: CarLook = {
  body: 'hatchback',
  paint: '#b3121d',
  wheel: 'five',
  darkRims: false,
  trim: '#2a2c30',
  face: 0,
};
const small: PictureSpec = {
  look,
  view: 'front',
  plate: 'AB12CDE',
  width: 320,
  height: 240,
  orientation: 1,
  scene: 7,
};

describe('scenes', () => {
  it.each(BODY_KINDS)('draw a %s from every side with finite numbers', (body) => {
    for (const view of VIEWS) {
      const svg = composeScene({ ...small, look: { ...look, body }, view }, 1200);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expect(svg.length).toBeGreaterThan(5000);
    }
  });

  it('shows the plate: another mark is another drawing, and the rear is yellow', () => {
    const drawn = (plate: string, view: PictureSpec['view'] = 'front') =>
      composeScene({ ...small, plate, view }, 1200);
    expect(drawn('AB12CDE')).not.toBe(drawn('XY99ZZZ'));
    expect(drawn('AB12CDE', 'rear')).toContain('#f7ce3c');
    expect(drawn('AB12CDE', 'front')).not.toContain('#f7ce3c');
  });
});

describe('lettering', () => {
  it('puts the gap into a usual mark, and survives any text', () => {
    expect(lettering('AB12CDE').width).toBeGreaterThan(lettering('AB12CD').width);
    expect(lettering('AB12CDE').width).toBe(lettering('AB12 CDE').width);
    expect(lettering('')).toEqual({ lines: [], width: 0 });
    expect(lettering('🚗').lines).toHaveLength(1);
    expect(lettering('A'.repeat(300)).width).toBe(lettering('A'.repeat(10)).width);
  });
});

describe('pictures', () => {
  it('are the same bytes for the same spec, and others for another', async () => {
    const [a, b, c] = await Promise.all([
      drawPicture(small),
      drawPicture(small),
      drawPicture({ ...small, scene: 8 }),
    ]);
    expect(a.equals(b)).toBe(true);
    expect(a.equals(c)).toBe(false);
  });

  it.each([
    [1600, 1200],
    [400, 300],
    [64, 48],
    [300, 9],
    [1, 1],
  ])('have the size that is asked for: %i×%i', async (width, height) => {
    const bytes = await drawPicture({ ...small, width, height });
    expect(await sharp(bytes).metadata()).toMatchObject({ width, height });
  });

  it('show the same car small as they do large', async () => {
    const pixels = async (width: number) =>
      sharp(await drawPicture({ ...small, width, height: width * 0.75 }))
        .resize(80, 60)
        .greyscale()
        .raw()
        .toBuffer();
    const [large, little] = await Promise.all([pixels(1600), pixels(320)]);
    const off = large.reduce((sum, value, at) => sum + Math.abs(value - (little[at] ?? 0)), 0);
    expect(off / large.length).toBeLessThan(6);
  });

  it('are stored turned where the tag says so, upright once it is obeyed', async () => {
    const bytes = await drawPicture({ ...small, orientation: 6 });
    expect(await sharp(bytes).metadata()).toMatchObject({
      width: 320,
      height: 240,
      orientation: 6,
    });
    const upright = await sharp(bytes).autoOrient().raw().toBuffer({ resolveWithObject: true });
    expect(upright.info).toMatchObject({ width: 240, height: 320 });
    // Ground is darker than sky: the light rows must be at the top once turned.
    const row = (y: number) => {
      const at = y * 240 * 3;
      return upright.data.subarray(at, at + 720).reduce((sum, v) => sum + v, 0) / 720;
    };
    expect(row(60)).toBeGreaterThan(row(310) + 15);
  });

  it('are drawn once for callers who ask at the same time, and kept', async () => {
    const store = new PictureStore(1);
    const [a, b] = await Promise.all([store.get(small), store.get({ ...small })]);
    expect(a).toBe(b);
    expect(await store.get(small)).toBe(a);
    expect(store.etag(small)).not.toBe(store.etag({ ...small, scene: 8 }));
  });
});
