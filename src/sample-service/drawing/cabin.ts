import { randomOf } from '../data/random.ts';
import type { Canvas } from './backdrop.ts';
import { centreStack, dashboard } from './dashboard.ts';
import { lightOf } from './light.ts';
import type { PictureSpec } from './spec.ts';
import { element, hex, linear, mix, radial, rgb, shape, times } from './svg.ts';

/** The dashboard as seen from between the seats; the wheel is on the right. */
export function drawCabin({ width, height }: Canvas, { look, scene }: PictureSpec): string {
  const random = randomOf('cabin', scene, look.paint);
  const light = lightOf(scene);
  const trim = rgb(look.trim);
  const accent = random.pick(['#b8bcc0', '#8a6f4e', '#3d4247', '#a33'] as const);
  const defs = [
    linear('cSky', [
      [0, hex(light.zenith)],
      [0.7, hex(light.horizon)],
      [1, '#b9c2c6'],
    ]),
    linear('cDash', [
      [0, '#4a4d52'],
      [0.25, '#2c2e32'],
      [1, '#141518'],
    ]),
    linear('cSeat', [
      [0, hex(times(trim, 1.35))],
      [1, hex(times(trim, 0.55))],
    ]),
    linear('cScreen', [
      [0, '#123a5c'],
      [1, '#0a1826'],
    ]),
    linear('cHood', [
      [0, hex(mix(rgb(look.paint), light.horizon, 0.55))],
      [1, hex(times(rgb(look.paint), 0.75))],
    ]),
    linear('cRim', [
      [0, '#55585d'],
      [0.5, '#26282b'],
      [1, '#151619'],
    ]),
    radial('cDial', [
      [0, '#1d2a36'],
      [0.8, '#0b0e12'],
      [1, '#30343a'],
    ]),
  ];
  const scale = height / 1200;
  return [
    element('defs', {}, defs.join('')),
    element('rect', { x: 0, y: 0, width, height, fill: '#101113' }),
    element(
      'g',
      { transform: `scale(1 ${scale.toFixed(3)})` },
      [
        outsideView(random.between(-120, 120)),
        cabinFrame(),
        dashboard(accent),
        centreStack(accent, random.int(17, 22)),
        steeringWheel(),
        tunnel(accent),
        frontSeats(),
      ].join(''),
    ),
  ].join('');
}

function outsideView(shift: number): string {
  const trees = Array.from({ length: 22 }, (_, i) => {
    const x = i * 80 - 60 + shift;
    return element('ellipse', {
      cx: x,
      cy: 392,
      rx: 62,
      ry: 44 + ((i * 37) % 40),
      fill: i % 2 ? '#5d7558' : '#4c6449',
    });
  });
  return [
    element('rect', { x: 0, y: 0, width: 1600, height: 640, fill: 'url(#cSky)' }),
    element(
      'g',
      { opacity: 0.8 },
      [
        ...trees,
        element('rect', { x: 300 + shift, y: 262, width: 760, height: 150, fill: '#6d7a85' }),
        ...[0, 1, 2, 3, 4, 5, 6].map((i) =>
          element('rect', {
            x: 316 + shift + i * 106,
            y: 306,
            width: 92,
            height: 104,
            fill: '#a5bccd',
          }),
        ),
        element('rect', { x: 290 + shift, y: 256, width: 780, height: 36, fill: '#eef1f3' }),
        element('rect', { x: 0, y: 408, width: 1600, height: 232, fill: '#8d9093' }),
      ].join(''),
    ),
    shape('M120 640Q300 500 800 494Q1300 500 1480 640Z', 'url(#cHood)'),
    shape('M520 520Q800 496 1080 520L1140 640H460Z', '#ffffff', { opacity: 0.12 }),
  ].join('');
}

function cabinFrame(): string {
  return [
    shape('M0 0H1600V60Q800 8 0 60Z', '#b9b6b0'),
    shape('M0 44Q800 -6 1600 44V66Q800 16 0 66Z', '#77756f', { opacity: 0.6 }),
    shape('M0 0H120Q96 60 50 250L0 430Z', '#a4a19b'),
    shape('M1600 0H1480Q1504 60 1550 250L1600 430Z', '#a4a19b'),
    shape('M120 0Q96 60 50 250L0 430V470L66 260Q112 70 142 20Z', '#5c5a57'),
    shape('M1480 0Q1504 60 1550 250L1600 430V470L1534 260Q1488 70 1458 20Z', '#5c5a57'),
    // Sun visors and the mirror with what is behind.
    shape('M210 36Q420 14 640 12L650 74Q430 76 226 98Z', '#c8c5bf', {
      stroke: '#8d8a85',
      'stroke-width': 2,
    }),
    shape('M1390 36Q1180 14 960 12L950 74Q1170 76 1374 98Z', '#c8c5bf', {
      stroke: '#8d8a85',
      'stroke-width': 2,
    }),
    element('rect', { x: 792, y: 14, width: 16, height: 70, fill: '#1b1c1e' }),
    element('rect', { x: 672, y: 74, width: 256, height: 84, rx: 34, fill: '#17181a' }),
    element('rect', { x: 682, y: 82, width: 236, height: 68, rx: 27, fill: '#8ca3b5' }),
    shape('M690 150Q690 118 740 112L860 112Q910 118 910 150Z', '#2a2d31'),
  ].join('');
}

function steeringWheel(): string {
  const [x, y] = [1184, 812];
  return [
    element('ellipse', {
      cx: x,
      cy: y + 16,
      rx: 238,
      ry: 228,
      fill: 'none',
      stroke: '#000',
      'stroke-width': 44,
      opacity: 0.35,
    }),
    element('ellipse', {
      cx: x,
      cy: y,
      rx: 234,
      ry: 226,
      fill: 'none',
      stroke: 'url(#cRim)',
      'stroke-width': 44,
    }),
    element('ellipse', {
      cx: x,
      cy: y - 6,
      rx: 242,
      ry: 234,
      fill: 'none',
      stroke: '#7b7f85',
      'stroke-width': 4,
      opacity: 0.7,
    }),
    element('ellipse', {
      cx: x,
      cy: y,
      rx: 220,
      ry: 212,
      fill: 'none',
      stroke: '#0a0a0b',
      'stroke-width': 2,
      'stroke-dasharray': '9 6',
    }),
    shape(
      `M${x - 222} ${y - 26}Q${x - 120} ${y - 20} ${x - 86} ${y - 60}H${x + 86}Q${x + 120} ${y - 20} ${x + 222} ${y - 26}V${y + 24}Q${x + 130} ${y + 40} ${x + 92} ${y + 84}L${x + 44} ${y + 216}H${x - 44}L${x - 92} ${y + 84}Q${x - 130} ${y + 40} ${x - 222} ${y + 24}Z`,
      '#202226',
    ),
    shape(
      `M${x - 90} ${y - 62}Q${x} ${y - 92} ${x + 90} ${y - 62}Q${x + 104} ${y} ${x + 78} ${y + 72}Q${x} ${y + 104} ${x - 78} ${y + 72}Q${x - 104} ${y} ${x - 90} ${y - 62}Z`,
      '#2b2d31',
      { stroke: '#0d0e0f', 'stroke-width': 3 },
    ),
    element('circle', {
      cx: x,
      cy: y,
      r: 30,
      fill: '#c9cdd1',
      stroke: '#6f7479',
      'stroke-width': 3,
    }),
    element('circle', { cx: x, cy: y, r: 20, fill: '#26292d' }),
    ...[-1, 1].flatMap((side) =>
      [0, 1].map((row) =>
        element('rect', {
          x: x + side * 150 - 28,
          y: y - 18 + row * 24,
          width: 56,
          height: 17,
          rx: 8,
          fill: '#3b3e43',
        }),
      ),
    ),
    shape(`M${x - 34} ${y + 214}L${x - 22} ${y + 130}H${x + 22}L${x + 34} ${y + 214}Z`, '#b9bdc1', {
      opacity: 0.65,
    }),
  ].join('');
}

function tunnel(accent: string): string {
  return [
    shape('M668 1000H932L990 1200H610Z', '#16171a'),
    shape('M690 1010H910L950 1200H650Z', '#232529', { stroke: accent, 'stroke-width': 3 }),
    shape('M742 1130Q800 1090 858 1130L872 1180H728Z', '#0e0f10'),
    element('rect', { x: 786, y: 1050, width: 28, height: 90, rx: 12, fill: '#3a3d41' }),
    element('ellipse', {
      cx: 800,
      cy: 1046,
      rx: 42,
      ry: 36,
      fill: '#1a1b1d',
      stroke: accent,
      'stroke-width': 5,
    }),
    element('ellipse', { cx: 790, cy: 1034, rx: 18, ry: 10, fill: '#ffffff', opacity: 0.22 }),
  ].join('');
}

function frontSeats(): string {
  const seat = (flip: boolean): string => {
    const side = (d: string, fill: string, more: Record<string, string | number> = {}) =>
      shape(d, fill, more);
    const parts = [
      side('M-40 1200V980Q40 930 250 946Q420 960 470 1040L520 1200Z', 'url(#cSeat)'),
      side('M60 1200Q70 1010 130 972Q250 950 330 1000Q390 1080 410 1200Z', '#000', {
        opacity: 0.22,
      }),
      side('M130 972Q100 1040 96 1200M330 1000Q372 1080 388 1200', 'none', {
        stroke: '#e9e4da',
        'stroke-width': 3,
        'stroke-dasharray': '8 6',
        opacity: 0.55,
      }),
    ].join('');
    return flip ? element('g', { transform: 'translate(1600 0) scale(-1 1)' }, parts) : parts;
  };
  return seat(false) + seat(true);
}
