import { randomOf } from '../data/random.ts';
import type { Canvas } from './backdrop.ts';
import { lightOf } from './light.ts';
import type { PictureSpec } from './spec.ts';
import { element, hex, linear, mix, radial, rgb, times } from './svg.ts';

const shape = (d: string, fill: string, more: Record<string, string | number> = {}): string =>
  element('path', { d, fill, ...more });

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

function dashboard(accent: string): string {
  const vent = (x: number, w: number): string =>
    [
      element('rect', {
        x,
        y: 716,
        width: w,
        height: 74,
        rx: 16,
        fill: '#0c0d0e',
        stroke: accent,
        'stroke-width': 4,
      }),
      ...[0, 1, 2, 3].map((i) =>
        element('rect', {
          x: x + 10,
          y: 728 + i * 15,
          width: w - 20,
          height: 6,
          rx: 3,
          fill: '#303338',
        }),
      ),
      element('rect', { x: x + w / 2 - 7, y: 724, width: 14, height: 58, rx: 5, fill: '#43474d' }),
    ].join('');
  return [
    shape(
      'M0 640Q180 560 520 566Q800 572 960 566Q1000 520 1180 516Q1370 520 1420 580Q1520 590 1600 640V1200H0Z',
      'url(#cDash)',
    ),
    shape(
      'M0 640Q180 560 520 566Q800 572 960 566Q1000 520 1180 516Q1370 520 1420 580Q1520 590 1600 640V654Q1520 604 1416 594Q1370 534 1180 530Q1004 534 964 580Q800 586 520 580Q180 574 0 654Z',
      '#6b6f75',
      { opacity: 0.55 },
    ),
    shape('M0 700Q300 664 640 672L640 700Q300 694 0 734Z', accent, { opacity: 0.85 }),
    shape('M0 734Q300 694 640 700V860Q300 866 0 930Z', '#1f2124'),
    shape('M60 810Q300 760 560 764L556 846Q300 846 70 900Z', '#191a1d', {
      stroke: '#0b0b0c',
      'stroke-width': 3,
    }),
    vent(34, 150),
    vent(1424, 140),
    // The instruments under their hood.
    shape('M984 700Q990 560 1180 554Q1376 560 1384 700Z', '#0a0b0c'),
    ...[1086, 1282].map((x) => dial(x, 652)),
    element('rect', { x: 1146, y: 610, width: 76, height: 84, rx: 6, fill: '#0d2233' }),
    ...[0, 1, 2].map((i) =>
      element('rect', {
        x: 1156,
        y: 624 + i * 20,
        width: 56 - i * 14,
        height: 7,
        rx: 3,
        fill: '#7fd0ff',
        opacity: 0.8,
      }),
    ),
  ].join('');
}

function dial(x: number, y: number): string {
  const ticks = Array.from({ length: 11 }, (_, i) => {
    const a = Math.PI * (0.8 + (i / 10) * 1.4);
    const [c, s] = [Math.cos(a), Math.sin(a)];
    return element('path', {
      d: `M${(x + c * 50).toFixed(1)} ${(y + s * 50).toFixed(1)}L${(x + c * 60).toFixed(1)} ${(y + s * 60).toFixed(1)}`,
      stroke: i > 8 ? '#ff5040' : '#e9f1f7',
      'stroke-width': 3.4,
    });
  });
  return [
    element('circle', {
      cx: x,
      cy: y,
      r: 68,
      fill: 'url(#cDial)',
      stroke: '#777c82',
      'stroke-width': 2.5,
    }),
    ...ticks,
    element('path', {
      d: `M${x} ${y}L${x - 34} ${y + 20}`,
      stroke: '#ff5a3c',
      'stroke-width': 5,
      'stroke-linecap': 'round',
    }),
    element('circle', { cx: x, cy: y, r: 10, fill: '#2b2e32' }),
  ].join('');
}

function centreStack(accent: string, degrees: number): string {
  const tile = (x: number, y: number, fill: string): string =>
    element('rect', { x, y, width: 82, height: 62, rx: 10, fill, opacity: 0.9 });
  return [
    shape('M640 672L960 668L930 1010L670 1010Z', '#1b1d20'),
    element('rect', {
      x: 630,
      y: 560,
      width: 336,
      height: 196,
      rx: 14,
      fill: '#08090a',
      stroke: '#3a3d42',
      'stroke-width': 3,
    }),
    element('rect', { x: 642, y: 572, width: 312, height: 172, rx: 8, fill: 'url(#cScreen)' }),
    // A map with a road, and tiles.
    shape('M650 736L730 660L770 672L840 590L862 590L782 690L742 680L690 736Z', '#2f6fa3', {
      opacity: 0.9,
    }),
    shape('M650 640L760 640M700 580L700 736', 'none', { stroke: '#1f4a6d', 'stroke-width': 6 }),
    element('circle', { cx: 766, cy: 668, r: 10, fill: '#ff5a3c' }),
    tile(864, 582, '#2a8a6a'),
    tile(864, 654, '#b3541e'),
    ...[656, 820].map((x) =>
      [
        element('rect', {
          x,
          y: 772,
          width: 124,
          height: 52,
          rx: 12,
          fill: '#0c0d0e',
          stroke: accent,
          'stroke-width': 3,
        }),
        ...[0, 1, 2].map((i) =>
          element('rect', {
            x: x + 10,
            y: 782 + i * 12,
            width: 104,
            height: 5,
            rx: 2,
            fill: '#303338',
          }),
        ),
      ].join(''),
    ),
    ...[704, 800, 896].map((x, i) =>
      [
        element('circle', {
          cx: x,
          cy: 886,
          r: 34,
          fill: '#0f1012',
          stroke: accent,
          'stroke-width': 5,
        }),
        element('circle', { cx: x, cy: 886, r: 22, fill: '#2a2c30' }),
        element('path', {
          d: `M${x} 886L${x + (i - 1) * 14} ${866 + Math.abs(i - 1) * 4 + (degrees % 3)}`,
          stroke: '#f2f4f5',
          'stroke-width': 4,
          'stroke-linecap': 'round',
        }),
      ].join(''),
    ),
    ...[0, 1, 2, 3, 4, 5].map((i) =>
      element('rect', { x: 684 + i * 40, y: 946, width: 32, height: 20, rx: 5, fill: '#2f3236' }),
    ),
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

/** The rear bench through the open door. */
export function drawSeats({ width, height }: Canvas, { look, scene }: PictureSpec): string {
  const light = lightOf(scene);
  const trim = rgb(look.trim);
  const defs = [
    linear('sSeat', [
      [0, hex(times(trim, 1.7))],
      [0.5, hex(times(trim, 1.1))],
      [1, hex(times(trim, 0.6))],
    ]),
    linear('sBase', [
      [0, hex(times(trim, 1.5))],
      [1, hex(times(trim, 0.45))],
    ]),
    linear('sSky', [
      [0, hex(light.zenith)],
      [1, hex(light.horizon)],
    ]),
    linear('sRoof', [
      [0, '#a9a6a0'],
      [1, '#d2cfc9'],
    ]),
  ];
  const back = (x: number, w: number): string =>
    [
      element('rect', {
        x: x + w * 0.28,
        y: 250,
        width: w * 0.44,
        height: 120,
        rx: 40,
        fill: 'url(#sSeat)',
        stroke: '#0008',
        'stroke-width': 2,
      }),
      ...[0.4, 0.56].map((s) =>
        element('rect', { x: x + w * s, y: 362, width: 12, height: 34, fill: '#9a9da1' }),
      ),
      shape(
        `M${x} 830Q${x - 16} 560 ${x + 40} 410Q${x + w / 2} 366 ${x + w - 40} 410Q${x + w + 16} 560 ${x + w} 830Z`,
        'url(#sSeat)',
      ),
      shape(
        `M${x + w * 0.2} 826Q${x + w * 0.16} 560 ${x + w * 0.24} 440M${x + w * 0.8} 826Q${x + w * 0.84} 560 ${x + w * 0.76} 440`,
        'none',
        { stroke: '#efe9de', 'stroke-width': 4, 'stroke-dasharray': '10 7', opacity: 0.5 },
      ),
      ...[0, 1, 2, 3].map((i) =>
        shape(
          `M${x + w * 0.2} ${520 + i * 84}Q${x + w / 2} ${534 + i * 84} ${x + w * 0.8} ${520 + i * 84}`,
          'none',
          { stroke: '#000', 'stroke-width': 5, opacity: 0.28 },
        ),
      ),
      shape(
        `M${x + 44} 420Q${x + w * 0.3} 384 ${x + w * 0.5} 388L${x + w * 0.44} 800H${x + w * 0.24}Z`,
        '#fff',
        { opacity: 0.06 },
      ),
    ].join('');
  const cushion = (x: number, w: number): string =>
    [
      shape(
        `M${x} 812Q${x + w / 2} 786 ${x + w} 812L${x + w * 1.04} 1010Q${x + w / 2} 1060 ${x - w * 0.04} 1010Z`,
        'url(#sBase)',
      ),
      shape(
        `M${x + w * 0.18} 818L${x + w * 0.14} 1020M${x + w * 0.82} 818L${x + w * 0.86} 1020`,
        'none',
        { stroke: '#efe9de', 'stroke-width': 4, 'stroke-dasharray': '10 7', opacity: 0.5 },
      ),
    ].join('');
  return [
    element('defs', {}, defs.join('')),
    element('rect', { x: 0, y: 0, width, height, fill: '#1a1b1d' }),
    element(
      'g',
      { transform: `scale(1 ${(height / 1200).toFixed(3)})` },
      [
        element('rect', { x: 0, y: 0, width: 1600, height: 150, fill: 'url(#sRoof)' }),
        shape('M300 120H1300L1390 420H210Z', '#2a2c2f'),
        shape('M330 140H1270L1340 400H260Z', 'url(#sSky)'),
        ...Array.from({ length: 13 }, (_, i) =>
          element('ellipse', {
            cx: 300 + i * 84,
            cy: 384,
            rx: 58,
            ry: 40 + ((i * 29) % 30),
            fill: i % 2 ? '#5f7a5a' : '#4d664a',
          }),
        ),
        shape('M0 100L210 120L170 520L0 640Z', '#c4c1bb'),
        shape('M1600 100L1390 120L1430 520L1600 640Z', '#c4c1bb'),
        shape('M0 170L150 190L130 430L0 470Z', 'url(#sSky)', {
          stroke: '#3a3c3f',
          'stroke-width': 14,
        }),
        shape('M1600 170L1450 190L1470 430L1600 470Z', 'url(#sSky)', {
          stroke: '#3a3c3f',
          'stroke-width': 14,
        }),
        element('rect', { x: 190, y: 398, width: 1220, height: 60, fill: '#25272a' }),
        back(660, 280),
        back(180, 490),
        back(930, 490),
        cushion(650, 300),
        cushion(150, 520),
        cushion(930, 520),
        shape('M0 1010Q800 1110 1600 1010V1200H0Z', '#141517'),
        ...[600, 700, 900].map((x) =>
          element('rect', {
            x,
            y: 792,
            width: 44,
            height: 36,
            rx: 8,
            fill: '#a31f24',
            stroke: '#111',
            'stroke-width': 4,
          }),
        ),
        shape('M0 640L90 600L150 1200H0Z', '#3a3d41'),
        shape('M1600 640L1510 600L1450 1200H1600Z', '#3a3d41'),
      ].join(''),
    ),
  ].join('');
}
