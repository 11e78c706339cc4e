import type { Canvas } from './backdrop.ts';
import { lightOf } from './light.ts';
import type { PictureSpec } from './spec.ts';
import { element, hex, linear, rgb, shape, times } from './svg.ts';

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
