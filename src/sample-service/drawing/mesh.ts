import type { Body } from './body.ts';
import { lerp, type Vec } from './geometry.ts';

/** Rows of points that cover the lower body; each row runs from the left underside over the top. */
export function lowerMesh(body: Body, detail: number): Vec[][] {
  const open = openMesh(body, detail);
  // Nose and tail are blunt: the first and last rows are drawn together to close them.
  const caps = (row: readonly Vec[]): Vec[][] =>
    [0, 0.5, 0.85].map((share) => row.map(([x, y, z]): Vec => [x, y * share, z]));
  return [...caps(open[0] ?? []), ...open, ...caps(open.at(-1) ?? []).reverse()];
}

function openMesh(body: Body, detail: number): Vec[][] {
  const shares = finer(
    [
      0, 0.03, 0.07, 0.12, 0.18, 0.26, 0.34, 0.42, 0.5, 0.56, 0.6, 0.63, 0.66, 0.69, 0.73, 0.78,
      0.84, 0.9, 0.95, 0.98, 1,
    ],
    detail,
  );
  const tops = finer([1, 0.97, 0.92, 0.84, 0.72, 0.55, 0.35, 0.15], detail);
  return endsClose(80 * detail).map((t) => {
    const x = lerp(0.002, body.length - 0.002, t);
    const [low, high] = [body.underAt(x), body.deckAt(x)];
    const right = [
      ...shares.map((s) => body.sidePoint(x, lerp(low, high - 1e-6, s), 1)),
      ...tops.slice(1).map((s) => body.deckPoint(x, s)),
    ];
    return [...right.map(([px, py, pz]): Vec => [px, -py, pz]), ...right.reverse()];
  });
}

/** Rows of points that cover glass and roof, from the left waistline over the roof to the right. */
export function upperMesh(body: Body, detail: number): Vec[][] {
  const [from, to] = [body.roof[0]?.[0] ?? 0, body.roof.at(-1)?.[0] ?? body.length];
  const rows = 50 * detail;
  const tops = finer([1, 0.97, 0.94, 0.9, 0.86, 0.82, 0.7, 0.5, 0.25], detail);
  return Array.from({ length: rows }, (_, i) => {
    const x = lerp(from + 0.005, to - 0.005, i / (rows - 1));
    const low = body.deckAt(x) - 0.02;
    const high = Math.max(body.roofPoint(x, 1)[2], low);
    const right: Vec[] = [
      ...[0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9].map((s) => body.sidePoint(x, lerp(low, high, s), 1)),
      ...tops.map((s) => body.roofPoint(x, s)),
    ];
    return [...right.map(([px, py, pz]): Vec => [px, -py, pz]), ...right.reverse()];
  });
}

/** Places from 0 to 1 that crowd towards both ends, where the surface turns fastest. */
function endsClose(count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const t = i / (count - 1);
    return lerp(t, 0.5 - Math.cos(t * Math.PI) / 2, 0.85);
  });
}

/** The same places with each gap divided into `parts`. */
function finer(places: readonly number[], parts: number): number[] {
  return places.flatMap((place, i) => {
    const next = places[i + 1];
    if (next === undefined) return [place];
    return Array.from({ length: parts }, (_, s) => lerp(place, next, s / parts));
  });
}
