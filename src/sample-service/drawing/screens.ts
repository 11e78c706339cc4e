import type { Body } from './body.ts';
import { type Camera, hull, lerp, type Point, type Vec } from './geometry.ts';
import { Patches } from './patch.ts';
import { hex, polygon, type Rgb, times } from './svg.ts';

const steps = (from: number, to: number, count = 16): number[] =>
  Array.from({ length: count + 1 }, (_, i) => lerp(from, to, i / count));

/** Windscreen and rear screen, bonnet lines and the two mirrors. */
export function drawScreens(body: Body, camera: Camera, paint: Rgb): string {
  const onRoof = new Patches(camera, body.roofPoint, ([x]) => [
    x < body.length / 2 ? -1 : 1,
    0,
    0.8,
  ]);
  const onDeck = new Patches(camera, body.deckPoint, () => [-0.1, 0, 1]);
  const front = screenSpan(body, 'front');
  const rear = screenSpan(body, 'rear');
  const shut = hex(times(paint, 0.3));
  const hood = body.roof[0]?.[0] ?? 1;
  const lines = [-1, 1].map((side) =>
    onDeck.line(
      steps(0.16, hood - 0.03, 8).map((x): Point => [x, side * lerp(0.9, 0.94, x)]),
      0.009,
      { stroke: shut, opacity: '0.8' },
    ),
  );
  const creases = [-1, 1].map((side) =>
    onDeck.line(
      [
        [0.3, side * 0.42],
        [hood - 0.12, side * 0.6],
      ],
      0.02,
      { stroke: '#fff', opacity: '0.10' },
    ),
  );
  const wiper = onRoof.line(
    [
      [front[0] + 0.02, -0.75],
      [front[0] + 0.07, 0.1],
    ],
    0.014,
    { stroke: '#0a0a0b' },
  );
  const wiper2 = onRoof.line(
    [
      [front[0] + 0.02, -0.1],
      [front[0] + 0.07, 0.72],
    ],
    0.014,
    { stroke: '#0a0a0b' },
  );
  return [
    ...creases,
    ...lines,
    screen(onRoof, front, 'url(#screen)'),
    wiper,
    wiper2,
    screen(onRoof, rear, 'url(#glass)'),
  ].join('');
}

/** From and to along the car, of the glass at one end. */
function screenSpan(body: Body, end: 'front' | 'rear'): [from: number, to: number] {
  const [start, stop] = [body.roof[0]?.[0] ?? 0, body.roof.at(-1)?.[0] ?? body.length];
  const xs = steps(start, stop, 300);
  const above = (x: number): boolean => body.roofAt(x) > body.deckAt(x) + 0.05;
  const edge = body.roofTop - (body.kind === 'van' ? 0.14 : 0.07);
  const high = (x: number): boolean => body.roofAt(x) > edge;
  if (end === 'front') return [xs.find(above) ?? start, (xs.find(high) ?? start) - 0.02];
  const last = xs.findLast(high) ?? stop;
  return [last + 0.03, xs.findLast(above) ?? stop];
}

function screen(patches: Patches, [from, to]: readonly [number, number], fill: string): string {
  const outline = (grow: number): Point[] => [
    ...steps(from, to).map((x): Point => [x, 0.86 + grow]),
    ...steps(0.86 + grow, -0.86 - grow).map((share): Point => [to, share]),
    ...steps(to, from).map((x): Point => [x, -0.86 - grow]),
    ...steps(-0.86 - grow, 0.86 + grow).map((share): Point => [from, share]),
  ];
  const shine: Point[] = [
    [from, -0.5],
    [from, -0.15],
    [to, 0.25],
    [to, 0.0],
  ];
  return (
    patches.fill(outline(0.035), { fill: '#0a0b0d' }) +
    patches.fill(outline(0), { fill }) +
    patches.fill(shine, { fill: '#fff', opacity: '0.12' })
  );
}

/** A door mirror: a rounded shell on the waistline, dark underneath. */
export function drawMirror(body: Body, camera: Camera, side: number, paint: Rgb): string {
  const x = body.glass[0] + 0.16;
  const z = body.deckAt(x) + 0.1;
  const [, y] = body.sidePoint(x, body.deckAt(x) + 0.01, side);
  const ball = (centre: Vec, size: Vec): Point[] =>
    Array.from({ length: 8 }, (_, i) => (i / 8) * Math.PI * 2).flatMap((a) =>
      [-0.9, -0.45, 0, 0.45, 0.9].map((up) => {
        const round = Math.sqrt(1 - up * up);
        return camera.project([
          centre[0] + Math.cos(a) * round * size[0],
          centre[1] + Math.sin(a) * round * size[1],
          centre[2] + up * size[2],
        ]);
      }),
    );
  const centre: Vec = [x, y + side * 0.12, z];
  const arm = hull([
    ...[-0.05, 0.05].map((dx) => camera.project([x + dx, y, z - 0.09])),
    ...[-0.04, 0.04].map((dx) => camera.project([x + dx, y + side * 0.1, z - 0.05])),
  ]);
  const behind = camera.eye[0] > x;
  return (
    polygon(arm, { fill: '#101113' }) +
    polygon(hull(ball(centre, [0.085, 0.115, 0.078])), { fill: hex(times(paint, 0.62)) }) +
    polygon(hull(ball([centre[0], centre[1], z + 0.012], [0.08, 0.108, 0.06])), {
      fill: hex(times(paint, 0.95)),
    }) +
    (behind
      ? polygon(hull(ball([x + 0.07, centre[1], z], [0.01, 0.095, 0.058])), { fill: '#7f95a8' })
      : '')
  );
}
