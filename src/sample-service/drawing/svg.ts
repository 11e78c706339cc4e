import { clamp, type Point } from './geometry.ts';

/** A colour as red, green and blue from 0 to 1. */
export type Rgb = readonly [r: number, g: number, b: number];

const number = (value: number): string => value.toFixed(1).replace(/\.0$/, '');

/** `#rrggbb` as a colour. */
export function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

export function hex(colour: Rgb): string {
  const two = (v: number): string =>
    Math.round(clamp(v, 0, 1) * 255)
      .toString(16)
      .padStart(2, '0');
  return `#${two(colour[0])}${two(colour[1])}${two(colour[2])}`;
}

export const mix = (a: Rgb, b: Rgb, t: number): Rgb => [
  a[0] + (b[0] - a[0]) * t,
  a[1] + (b[1] - a[1]) * t,
  a[2] + (b[2] - a[2]) * t,
];

export const times = (a: Rgb, k: number): Rgb => [a[0] * k, a[1] * k, a[2] * k];

export type Attributes = Readonly<Record<string, string | number>>;

const written = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? number(value) : value}"`)
    .join('');

/** An element without a name space of its own. */
export function element(name: string, attributes: Attributes, content = ''): string {
  return content === ''
    ? `<${name}${written(attributes)}/>`
    : `<${name}${written(attributes)}>${content}</${name}>`;
}

/** Path data through points; fewer than two draw nothing. */
export function path(points: readonly Point[], closed = true): string {
  if (points.length < 2) return '';
  const text = points.map(([x, y]) => `${number(x)} ${number(y)}`).join('L');
  return `M${text}${closed ? 'Z' : ''}`;
}

export function polygon(points: readonly Point[], attributes: Attributes): string {
  const d = path(points);
  return d === '' ? '' : element('path', { d, ...attributes });
}

export function polyline(points: readonly Point[], attributes: Attributes): string {
  const d = path(points, false);
  return d === ''
    ? ''
    : element('path', {
        d,
        fill: 'none',
        'stroke-linecap': 'round',
        'stroke-linejoin': 'round',
        ...attributes,
      });
}

/** Stops of a gradient: offset from 0 to 1, colour, opacity. */
export type Stops = readonly (readonly [offset: number, colour: string, opacity?: number])[];

const stopElements = (stops: Stops): string =>
  stops
    .map(
      ([offset, colour, opacity = 1]) =>
        `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity}"/>`,
    )
    .join('');

/** A gradient down the drawing (or along `to`), in fractions of what it fills. */
export function linear(id: string, stops: Stops, [x, y]: Point = [0, 1]): string {
  return `<linearGradient id="${id}" x1="0" y1="0" x2="${x}" y2="${y}">${stopElements(stops)}</linearGradient>`;
}

export function radial(id: string, stops: Stops): string {
  return `<radialGradient id="${id}">${stopElements(stops)}</radialGradient>`;
}

/** A filled shape from path data. */
export const shape = (
  d: string,
  fill: string,
  more: Record<string, string | number> = {},
): string => element('path', { d, fill, ...more });
