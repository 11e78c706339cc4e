import type { Body } from './body.ts';
import { type Camera, lerp, type Point } from './geometry.ts';
import { Patches } from './patch.ts';
import { hex, type Rgb, times } from './svg.ts';

const range = (from: number, to: number, steps: number): number[] =>
  Array.from({ length: steps + 1 }, (_, i) => lerp(from, to, i / steps));

/** What is drawn on one flank: glass, pillars, shut lines, handles, sill and wheel arches. */
export function drawSide(body: Body, camera: Camera, side: number, paint: Rgb): string {
  const patches = new Patches(
    camera,
    (x, z) => body.sidePoint(x, z, side),
    () => [0, side, 0.05],
  );
  const shadow = hex(times(paint, 0.28));
  const parts = [glass(body, patches), ...shutLines(body, patches, shadow)];
  parts.push(sill(body, patches));
  for (const axle of body.axles) parts.push(arch(body, patches, axle, paint));
  return parts.join('');
}

function glass(body: Body, patches: Patches): string {
  const [from, to] = body.glass;
  const bottom = (x: number): number => body.deckAt(x) + 0.03;
  const top = (x: number): number => body.roofPoint(x, 1)[2] - 0.012;
  // The glass ends in a slope that follows the rear pillar.
  const slope = body.kind === 'van' ? 0.02 : 0.16;
  const area = (a: number, b: number, lean: number): Point[] => [
    ...range(a, b, 14).map((x): Point => [x, bottom(x)]),
    ...range(b - lean, a, 14)
      .map((x): Point => [x, Math.max(top(x), bottom(x))])
      .filter(([x]) => x >= a),
  ];
  const whole = area(from, to, slope);
  const frame = patches.fill(whole, { fill: '#0b0c0e', stroke: '#0b0c0e', 'stroke-width': 5 });
  const panes = [from, ...body.pillars, to].slice(0, -1).map((start, index, starts) => {
    const last = index === starts.length - 1;
    const end = last ? to : (body.pillars[index] ?? to);
    const [a, b] = [start + (index === 0 ? 0.02 : 0.035), end - (last ? 0.02 : 0.035)];
    const pane = area(a, b, last ? slope : 0);
    const shine: Point[] = [
      [lerp(a, b, 0.3), bottom(lerp(a, b, 0.3))],
      [lerp(a, b, 0.55), bottom(lerp(a, b, 0.55))],
      [lerp(a, b, 0.9), Math.max(top(lerp(a, b, 0.9)), bottom(lerp(a, b, 0.9)))],
      [lerp(a, b, 0.68), Math.max(top(lerp(a, b, 0.68)), bottom(lerp(a, b, 0.68)))],
    ];
    return (
      patches.fill(pane, { fill: 'url(#glass)' }) +
      headrest(body, patches, lerp(a, b, 0.62), bottom, top) +
      patches.fill(shine, { fill: '#fff', opacity: '0.10' })
    );
  });
  const chrome = patches.line(
    range(from, to, 20).map((x): Point => [x, body.deckAt(x) + 0.022]),
    0.012,
    { stroke: '#c3c8cc' },
  );
  return frame + panes.join('') + chrome;
}

/** A seat's upper part behind the glass. */
function headrest(
  body: Body,
  patches: Patches,
  x: number,
  bottom: (x: number) => number,
  top: (x: number) => number,
): string {
  const [low, high] = [bottom(x), lerp(bottom(x), top(x), 0.72)];
  if (high - low < 0.15 || body.kind === 'van') return '';
  const outline: Point[] = [
    [x - 0.13, low],
    [x - 0.06, lerp(low, high, 0.55)],
    [x - 0.05, high],
    [x + 0.07, high],
    [x + 0.11, lerp(low, high, 0.55)],
    [x + 0.13, low],
  ];
  return patches.fill(outline, {
    fill: '#050607',
    opacity: '0.55',
    stroke: '#050607',
    'stroke-width': 4,
  });
}

function shutLines(body: Body, patches: Patches, stroke: string): string[] {
  const line = (points: Point[], width = 0.011): string =>
    patches.line(points, width, { stroke, opacity: '0.85' });
  const low = (x: number): number => body.underAt(x) + 0.09;
  const [first = 0] = body.doors;
  const last = body.doors.at(-1) ?? body.length;
  const lines = body.doors.map((x) =>
    line([
      [x, body.deckAt(x) - 0.005],
      [x + (x === first ? -0.03 : 0.03), lerp(body.deckAt(x), low(x), 0.55)],
      [x, low(x) + 0.02],
    ]),
  );
  lines.push(line(range(first, last, 12).map((x): Point => [x, low(x)])));
  const doors = body.doors.slice(1);
  for (const x of doors) {
    const z = body.deckAt(x) - 0.135;
    const handle: Point[] = [
      [x - 0.27, z],
      [x - 0.26, z + 0.03],
      [x - 0.08, z + 0.034],
      [x - 0.07, z + 0.006],
    ];
    lines.push(
      patches.fill(
        handle.map(([u, v]): Point => [u, v - 0.016]),
        { fill: stroke, opacity: '0.7' },
      ),
      patches.fill(handle, { fill: '#d7dbdf', stroke: '#8b9095', 'stroke-width': 1 }),
    );
  }
  return lines;
}

function sill(body: Body, patches: Patches): string {
  const [front, rear] = body.axles;
  const height = body.kind === 'suv' ? 0.13 : 0.06;
  const xs = range(front, rear, 24);
  return patches.fill(
    [
      ...xs.map((x): Point => [x, body.underAt(x)]),
      ...xs.reverse().map((x): Point => [x, body.underAt(x) + height]),
    ],
    { fill: '#17181a', opacity: '0.92' },
  );
}

function arch(body: Body, patches: Patches, axle: number, paint: Rgb): string {
  const r = body.wheelRadius;
  const round = (radius: number): Point[] =>
    range(-0.35, Math.PI + 0.35, 40).map(
      (a): Point => [
        axle + Math.cos(a) * radius,
        Math.max(r + Math.sin(a) * radius, body.underAt(axle) - 0.01),
      ],
    );
  const lip =
    body.kind === 'suv'
      ? patches.fill(round(r + 0.1), { fill: '#1b1c1e' })
      : patches.line(round(r + 0.05), 0.022, { stroke: hex(times(paint, 0.62)), opacity: '0.8' });
  return lip + patches.fill(round(r + 0.04), { fill: '#060607' });
}
