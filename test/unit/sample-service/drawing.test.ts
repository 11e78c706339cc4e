import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawPicture, PictureStore } from '../../../src/sample-service/drawing/draw.ts';
import {
  type CarDesign,
  MODELS,
  type PictureSpec,
  VIEWS,
} from '../../../src/sample-service/drawing/spec.ts';

const design: CarDesign = {
  model: 0,
  paint: 'Red',
  trim: 0,
};
const small: PictureSpec = {
  design,
  view: 'front',
  plate: 'AB12CDE',
  width: 320,
  height: 240,
  orientation: 1,
  scene: 7,
};

/** Average red, green and blue of a part of a picture, given as shares of its width and height. */
async function colour(spec: PictureSpec, [x, y, w, h]: readonly number[]): Promise<number[]> {
  const part = (share = 0, length = 0) => Math.round(share * length);
  const drawn = await sharp(await drawPicture(spec))
    .extract({
      left: part(x, spec.width),
      top: part(y, spec.height),
      width: part(w, spec.width),
      height: part(h, spec.height),
    })
    .png()
    .toBuffer();
  const { channels } = await sharp(drawn).stats();
  return channels.map(({ mean }) => mean);
}

const greys = async (spec: PictureSpec): Promise<Buffer> =>
  sharp(await drawPicture(spec))
    .greyscale()
    .raw()
    .toBuffer();

/** Share of pixels that differ clearly between two pictures. */
const difference = (one: Buffer, other: Buffer): number =>
  one.filter((value, at) => Math.abs(value - (other[at] ?? 0)) > 20).length / one.length;

describe('scenes', () => {
  it('of every model look different from every side', async () => {
    const tiny = { ...small, width: 80, height: 60 };
    for (const model of Array(MODELS).keys()) {
      const drawn = await Promise.all(
        VIEWS.map((view) => greys({ ...tiny, design: { ...design, model }, view })),
      );
      for (const [at, one] of drawn.entries()) {
        for (const [after, other] of drawn.slice(at + 1).entries()) {
          const names = `model ${model}: ${VIEWS[at]} and ${VIEWS[at + 1 + after]}`;
          expect(difference(one, other), names).toBeGreaterThan(0.04);
        }
      }
    }
  });

  it('show the paint of the vehicle and change nothing else with it', async () => {
    const door = [0.5, 0.5, 0.1, 0.06];
    const ground = [0.1, 0.9, 0.1, 0.06];
    const of = (paint: CarDesign['paint'], place: number[]) =>
      colour({ ...small, design: { ...design, paint }, view: 'left' }, place);
    const [red = 0, , blueOfRed = 0] = await of('Red', door);
    const [redOfBlue = 0, , blue = 0] = await of('Deep blue', door);
    expect(red).toBeGreaterThan(blueOfRed + 50);
    expect(blue).toBeGreaterThan(redOfBlue + 30);
    expect(await of('Red', ground)).toEqual(await of('Deep blue', ground));
  });

  it('show the plate: another plate is another picture, white in front and yellow behind', async () => {
    const large = { ...small, width: 1280, height: 960 };
    const [one, other, none] = await Promise.all(
      ['AB12CDE', 'XY99ZZZ', ''].map((mark) => greys({ ...large, plate: mark })),
    );
    if (!one || !other || !none) throw new Error('Nothing was drawn.');
    expect(difference(one, none)).toBeGreaterThan(0.001);
    expect(difference(one, other)).toBeGreaterThan(0.0005);
    const plate = { ...large, plate: '' };
    const [, , front = 0] = await colour(plate, [0.43, 0.655, 0.05, 0.02]);
    const [red = 0, , rear = 0] = await colour(
      { ...plate, view: 'rear' },
      [0.48, 0.55, 0.05, 0.02],
    );
    expect(front).toBeGreaterThan(200);
    expect(red - rear).toBeGreaterThan(100);
  });
});

const drawn = (plate: string) => drawPicture({ ...small, width: 1280, height: 960, plate });

it('a plate has the usual gap and shows as much text as fits', async () => {
  const [close, spaced, other, long, cut, emoji, none] = await Promise.all(
    ['AB12CDE', 'AB12 CDE', 'AB1 2CDE', 'A'.repeat(300), 'A'.repeat(10), '🚗', ''].map(drawn),
  );
  expect(close?.equals(spaced as Buffer)).toBe(true);
  expect(close?.equals(other as Buffer)).toBe(false);
  expect(long?.equals(cut as Buffer)).toBe(true);
  expect(emoji?.equals(none as Buffer)).toBe(false);
});

describe('pictures', () => {
  it.each([
    [1600, 1200],
    [300, 400],
    [300, 9],
    [1, 1],
  ])('have the requested size: %i×%i', async (width, height) => {
    const bytes = await drawPicture({ ...small, width, height });
    expect(await sharp(bytes).metadata()).toMatchObject({ width, height });
  });

  it('are stored rotated with a tag, and upright after applying it', async () => {
    const bytes = await drawPicture({ ...small, orientation: 6 });
    expect(await sharp(bytes).metadata()).toMatchObject({
      width: 320,
      height: 240,
      orientation: 6,
    });
    const upright = await sharp(bytes).autoOrient().raw().toBuffer({ resolveWithObject: true });
    expect(upright.info).toMatchObject({ width: 240, height: 320 });
    // The ground is darker than the sky: the light rows must be at the top after rotation.
    const row = (y: number) => {
      const at = y * 240 * 3;
      return upright.data.subarray(at, at + 720).reduce((sum, v) => sum + v, 0) / 720;
    };
    expect(row(60)).toBeGreaterThan(row(310) + 15);
  });

  it('have the same bytes for the same input and are cached; other bytes for other input', async () => {
    const store = new PictureStore(1);
    const [a, b] = await Promise.all([store.get(small), store.get({ ...small })]);
    expect(a).toBe(b);
    expect(await store.get(small)).toBe(a);
    expect(a.equals(await drawPicture(small))).toBe(true);
    expect(a.equals(await drawPicture({ ...small, scene: 8 }))).toBe(false);
    expect(store.etag(small)).not.toBe(store.etag({ ...small, scene: 8 }));
  });
});
