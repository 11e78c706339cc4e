import { type Random, randomOf } from '../data/random.ts';
import type { Camera, Point, Vec } from './geometry.ts';
import type { Light } from './light.ts';
import { element, hex, linear, mix, polygon, radial, rgb, times } from './svg.ts';

export interface Canvas {
  width: number;
  height: number;
}

/** Sky, what stands behind the forecourt, and the ground with its bay lines. */
export function drawBackdrop(canvas: Canvas, camera: Camera, light: Light, scene: number): string {
  const random = randomOf('backdrop', scene);
  const { width, height } = canvas;
  const horizon = camera.horizon;
  const defs = [
    linear('sky', [
      [0, hex(light.zenith)],
      [1, hex(light.horizon)],
    ]),
    linear('ground', [
      [0, '#9a9c9d'],
      [0.25, '#85878a'],
      [1, '#5e6063'],
    ]),
    radial('puff', [
      [0, '#ffffff', 0.8],
      [0.5, '#ffffff', 0.45],
      [1, '#ffffff', 0],
    ]),
  ];
  const rect = (x: number, y: number, w: number, h: number, fill: string): string =>
    element('rect', { x, y, width: w, height: h, fill });
  const behind =
    light.place === 'showroom'
      ? showroom(canvas, horizon, random)
      : light.place === 'trees'
        ? hedge(canvas, horizon, random)
        : wall(canvas, horizon, random);
  return [
    element('defs', {}, defs.join('')),
    rect(0, 0, width, Math.max(horizon, 0) + 2, 'url(#sky)'),
    clouds(canvas, horizon, random, light),
    trees(canvas, horizon, random) + behind,
    rect(0, horizon, width, height - horizon, 'url(#ground)'),
    bays(camera),
  ].join('');
}

function clouds({ width }: Canvas, horizon: number, random: Random, light: Light): string {
  const puffs = Array.from({ length: 9 }, () =>
    element('ellipse', {
      cx: random.between(0, width),
      cy: random.between(0.05, 0.75) * horizon,
      rx: random.between(140, 380),
      ry: random.between(24, 60),
      fill: 'url(#puff)',
      opacity: (light.strength > 0.3 ? 0.9 : 1) * random.between(0.6, 1),
    }),
  );
  return puffs.join('');
}

/** A line of distant trees, there behind everything. */
function trees({ width }: Canvas, horizon: number, random: Random): string {
  const parts: string[] = [];
  for (let x = -40; x < width + 40; x += random.between(22, 50)) {
    const r = random.between(24, 58);
    const colour = mix(rgb('#4c6248'), rgb('#6f8472'), random.next());
    parts.push(
      element('ellipse', { cx: x, cy: horizon - r * 0.5, rx: r * 1.1, ry: r, fill: hex(colour) }),
    );
  }
  return parts.join('');
}

function showroom({ width }: Canvas, horizon: number, random: Random): string {
  const left = random.between(-0.15, 0.35) * width;
  const wide = random.between(0.62, 0.95) * width;
  const tall = random.between(150, 210);
  const top = horizon - tall;
  const band = random.pick(['#1f4e79', '#8c1d2b', '#2b2f36', '#1d6b57', '#c4622d'] as const);
  const panes: string[] = [];
  const pane = random.between(62, 92);
  for (let x = left + 10; x + pane < left + wide; x += pane) {
    const warm = random.chance(0.55);
    panes.push(
      element('rect', {
        x: x + 2,
        y: top + 46,
        width: pane - 4,
        height: tall - 46,
        fill: warm ? '#93a5b3' : '#8196a8',
      }),
      element('rect', {
        x: x + 2,
        y: top + 46,
        width: pane - 4,
        height: 36,
        fill: '#c9d9e6',
        opacity: 0.6,
      }),
      element('rect', {
        x: x + 2,
        y: horizon - 44,
        width: pane - 4,
        height: 44,
        fill: '#4f5d69',
        opacity: 0.7,
      }),
    );
    if (warm) {
      panes.push(
        element('ellipse', { cx: x + pane / 2, cy: top + 70, rx: 11, ry: 4, fill: '#fff3cf' }),
      );
    }
  }
  // Cars on show behind the glass, as mere shapes.
  for (let x = left + 60; x + 220 < left + wide; x += random.between(250, 340)) {
    const y = horizon - 6;
    const d = `M${x} ${y}v-18q4 -14 40 -17l34 -24q50 -8 84 1l30 24q26 4 30 16v18z`;
    panes.push(
      element('path', {
        d,
        fill: random.pick(['#3c4650', '#5d2b2f', '#d5d9dc', '#2f4664'] as const),
        opacity: 0.75,
      }),
    );
  }
  return [
    element('rect', { x: left, y: top, width: wide, height: tall, fill: '#5d6a75' }),
    ...panes,
    element('rect', { x: left - 14, y: top, width: wide + 28, height: 42, fill: '#eceff1' }),
    element('rect', { x: left - 14, y: top + 30, width: wide + 28, height: 12, fill: band }),
    element('rect', {
      x: left + wide * 0.08,
      y: top + 8,
      width: wide * 0.16,
      height: 14,
      fill: band,
    }),
    flags(left, wide, horizon, band, random),
  ].join('');
}

function flags(
  left: number,
  wide: number,
  horizon: number,
  colour: string,
  random: Random,
): string {
  return [-70, wide + 60, wide + 150]
    .map((dx) => {
      const [x, top] = [left + dx, horizon - random.between(230, 270)];
      return (
        element('rect', { x, y: top, width: 4, height: horizon - top, fill: '#c8ccd0' }) +
        element('path', {
          d: `M${x + 4} ${top + 4}q26 8 42 0v92q-20 8 -42 0z`,
          fill: colour,
          opacity: 0.9,
        })
      );
    })
    .join('');
}

function hedge({ width }: Canvas, horizon: number, random: Random): string {
  const parts: string[] = [];
  for (let x = -60; x < width + 60; x += random.between(90, 190)) {
    const r = random.between(70, 130);
    const green = mix(rgb('#35523a'), rgb('#5d7a4b'), random.next());
    parts.push(
      element('rect', { x: x - 5, y: horizon - r, width: 10, height: r, fill: '#4d4034' }),
    );
    for (let i = 0; i < 9; i++) {
      parts.push(
        element('ellipse', {
          cx: x + random.between(-0.6, 0.6) * r,
          cy: horizon - r * random.between(0.85, 1.8),
          rx: r * random.between(0.3, 0.5),
          ry: r * random.between(0.25, 0.45),
          fill: hex(times(green, random.between(0.75, 1.2))),
        }),
      );
    }
  }
  for (let x = -20; x < width + 20; x += 26) {
    const green = mix(rgb('#33502f'), rgb('#48683d'), random.next());
    parts.push(
      element('ellipse', {
        cx: x,
        cy: horizon - 22,
        rx: 30,
        ry: random.between(26, 36),
        fill: hex(green),
      }),
    );
  }
  return parts.join('');
}

function wall({ width }: Canvas, horizon: number, random: Random): string {
  const tall = random.between(120, 170);
  const brick = rgb(random.pick(['#9a6a55', '#b3a089', '#8f9499'] as const));
  const parts = [
    element('rect', { x: 0, y: horizon - tall, width, height: tall, fill: hex(brick) }),
  ];
  for (let y = horizon - tall; y < horizon; y += 12) {
    for (let x = -((y / 12) % 2) * 18; x < width; x += 36) {
      const tone = times(brick, random.between(0.88, 1.1));
      parts.push(element('rect', { x, y, width: 34, height: 10, fill: hex(tone) }));
    }
  }
  parts.push(element('rect', { x: 0, y: horizon - tall - 10, width, height: 12, fill: '#d3d0ca' }));
  return parts.join('');
}

/** White lines between parking bays, flat on the ground. */
function bays(camera: Camera): string {
  const strip = (y: number): string => {
    const edge = (dy: number): Vec[] =>
      Array.from({ length: 40 }, (_, i): Vec => [-1.2 + i * 0.19, y + dy, 0]);
    const points = [...edge(-0.05), ...edge(0.05).reverse()]
      .filter((p) => camera.depth(p) > 0.5)
      .map((p): Point => camera.project(p));
    return polygon(points, { fill: '#eceeee', opacity: 0.75 });
  };
  return [-7, -4.4, -1.7, 1.7, 4.4, 7].map(strip).join('');
}
