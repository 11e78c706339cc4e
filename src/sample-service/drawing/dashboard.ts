import { element, shape } from './svg.ts';

/** The dashboard with its vents and instruments, in a drawing 1600 by 1200. */
export function dashboard(accent: string): string {
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

/** The screen and the controls below it. */
export function centreStack(accent: string, degrees: number): string {
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
