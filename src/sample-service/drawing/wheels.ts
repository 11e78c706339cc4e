import type { Body } from './body.ts';
import { type Camera, hull, type Point, type Vec } from './geometry.ts';
import type { CarLook, WheelStyle } from './look.ts';
import { element, hex, path, polygon, type Rgb, rgb, times } from './svg.ts';

const TYRE_WIDTH_M = 0.21;
const ROUND = 56;

export interface Wheel {
  axle: number;
  side: number;
  /** A point of the outer face: angle in radians, radius in metres, how far inwards in metres. */
  at(angle: number, radius: number, inwards?: number): Vec;
  centre: Vec;
  radius: number;
}

export function wheelsOf(body: Body): Wheel[] {
  return body.axles.flatMap((axle) =>
    [-1, 1].map((side): Wheel => {
      const face = body.halfWidth(axle) * 0.975;
      const radius = body.wheelRadius;
      return {
        axle,
        side,
        radius,
        centre: [axle, side * face, radius],
        at: (angle, r, inwards = 0) => [
          axle + Math.cos(angle) * r,
          side * (face - inwards),
          radius + Math.sin(angle) * r,
        ],
      };
    }),
  );
}

const angles = Array.from({ length: ROUND }, (_, i) => (i / ROUND) * Math.PI * 2);

function ring(wheel: Wheel, camera: Camera, radius: number, inwards = 0): Point[] {
  return angles.map((angle) => camera.project(wheel.at(angle, radius, inwards)));
}

/** The tyre as a solid: what is seen of it under the car and behind the bumpers. */
export function drawTyre(wheel: Wheel, camera: Camera): string {
  const { radius } = wheel;
  const outline = hull([
    ...ring(wheel, camera, radius * 0.96),
    ...ring(wheel, camera, radius, 0.03),
    ...ring(wheel, camera, radius, TYRE_WIDTH_M - 0.03),
    ...ring(wheel, camera, radius * 0.96, TYRE_WIDTH_M),
  ]);
  return polygon(outline, { fill: '#131416' });
}

/** The outer face: tyre wall, rim, brake and spokes. */
export function drawWheelFace(wheel: Wheel, camera: Camera, look: CarLook): string {
  const { radius } = wheel;
  const rim = radius * 0.74;
  const metal = rgb(look.darkRims ? '#4a4d52' : '#cfd3d8');
  const px = camera.scale(wheel.centre);
  const id = `rim${Math.round(wheel.axle * 10)}${wheel.side > 0 ? 'r' : 'l'}`;
  const circle = (r: number, inwards: number, attributes: Record<string, string | number>) =>
    polygon(ring(wheel, camera, r, inwards), attributes);
  return [
    polygon(hull([...ring(wheel, camera, radius * 0.96), ...ring(wheel, camera, radius, 0.03)]), {
      fill: 'url(#tyre)',
    }),
    circle(radius * 0.9, 0, { fill: 'none', stroke: '#33363a', 'stroke-width': 0.006 * px }),
    circle(radius * 0.8, 0, { fill: 'none', stroke: '#08090a', 'stroke-width': 0.008 * px }),
    circle(rim, 0, { fill: hex(times(metal, 0.8)) }),
    circle(rim * 0.93, 0.01, { fill: '#0d0e10' }),
    // What lies behind the spokes is seen through the rim only.
    element('defs', {}, element('clipPath', { id }, circle(rim * 0.93, 0.01, {}))),
    `<g clip-path="url(#${id})">`,
    circle(rim * 0.62, 0.09, { fill: '#84888d', stroke: '#5a5d61', 'stroke-width': 0.012 * px }),
    circle(rim * 0.3, 0.09, { fill: '#2c2e31' }),
    caliper(wheel, camera, rim),
    '</g>',
    spokes(wheel, camera, look.wheel, metal, rim),
    circle(rim * 0.965, 0, {
      fill: 'none',
      stroke: hex(times(metal, 1.05)),
      'stroke-width': rim * 0.05 * px,
    }),
    circle(rim * 1.0, 0, {
      fill: 'none',
      stroke: '#1c1d20',
      'stroke-width': 0.004 * px,
    }),
    circle(rim * 0.17, -0.005, {
      fill: hex(times(metal, 0.75)),
      stroke: '#333',
      'stroke-width': 0.004 * px,
    }),
    circle(rim * 0.12, -0.008, { fill: hex(times(metal, 0.45)) }),
    bolts(wheel, camera, rim),
  ].join('');
}

function caliper(wheel: Wheel, camera: Camera, rim: number): string {
  const arc = (r: number, from: number, to: number): Point[] =>
    Array.from({ length: 9 }, (_, i) =>
      camera.project(wheel.at(from + ((to - from) * i) / 8, r, 0.08)),
    );
  return polygon([...arc(rim * 0.66, -0.5, 0.6), ...arc(rim * 0.4, 0.6, -0.5)], {
    fill: '#5d2320',
  });
}

function bolts(wheel: Wheel, camera: Camera, rim: number): string {
  return Array.from({ length: 5 }, (_, i) => {
    const [x, y] = camera.project(wheel.at((i / 5) * Math.PI * 2 + 0.6, rim * 0.235, 0.005));
    const r = rim * 0.028 * camera.scale(wheel.centre);
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r.toFixed(1)}" fill="#1d1e20"/>`;
  }).join('');
}

/** One spoke: its centre line as angle offset by radius, and half its width, all relative. */
interface Spoke {
  count: number;
  /** Angle offsets of the branches at the rim. */
  branches: readonly number[];
  inner: number;
  outer: number;
  twist: number;
}

const SPOKES: Readonly<Record<WheelStyle, Spoke>> = {
  five: { count: 5, branches: [-0.17, 0.17], inner: 0.13, outer: 0.075, twist: 0 },
  ten: { count: 10, branches: [0], inner: 0.055, outer: 0.06, twist: 0 },
  mesh: { count: 7, branches: [-0.36, 0.36], inner: 0.06, outer: 0.045, twist: 0 },
  turbine: { count: 9, branches: [0.3], inner: 0.07, outer: 0.09, twist: 0.3 },
};

function spokes(wheel: Wheel, camera: Camera, style: WheelStyle, metal: Rgb, rim: number): string {
  const { count, branches, inner, outer, twist } = SPOKES[style];
  const parts: string[] = [];
  for (let i = 0; i < count; i++) {
    const angle = (i / count) * Math.PI * 2 + Math.PI / 2;
    for (const branch of branches) {
      const edge = (half: number, sign: number): Point[] =>
        [0.16, 0.45, 0.75, 0.96].map((share) => {
          const width = half === 0 ? 0 : inner + (outer - inner) * share;
          const bend = branch * share + twist * 0.2 * share * share;
          return camera.project(
            wheel.at(
              angle + bend + (sign * width) / Math.max(share, 0.4),
              rim * share,
              0.03 * (1 - share),
            ),
          );
        });
      // Light falls from above: spokes that point up are brighter than those that point down.
      const tone = 0.82 + 0.24 * Math.sin(angle + branch);
      const left = edge(1, -1);
      const right = edge(1, 1);
      const middle = edge(0, 1);
      parts.push(
        `<path d="${path([...left, ...right.reverse()])}" fill="${hex(times(metal, tone * 0.72))}"/>`,
        `<path d="${path([...left, ...middle.reverse()])}" fill="${hex(times(metal, tone * 1.08))}"/>`,
      );
    }
  }
  return parts.join('');
}
