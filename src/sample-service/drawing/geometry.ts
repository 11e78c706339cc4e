/** A point or direction in metres: x from the nose to the tail, y to the right, z up. */
export type Vec = readonly [x: number, y: number, z: number];
/** A point of the drawing, pixels. */
export type Point = readonly [x: number, y: number];

export const sub = (a: Vec, b: Vec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const dot = (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec, b: Vec): Vec => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const unit = (a: Vec): Vec => {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
};
export const lerp = (a: number, b: number, t: number): number => a + (b - a) * t;
export const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), high);

/** 0 below `low`, 1 above `high`, smooth between. */
export function smoothstep(low: number, high: number, value: number): number {
  const t = clamp((value - low) / (high - low), 0, 1);
  return t * t * (3 - 2 * t);
}

/** A smooth curve through points with rising first coordinate, without overshoot (Fritsch–Carlson). */
export function curve(points: readonly Point[]): (x: number) => number {
  const slopes = points.slice(1).map(([x, y], i) => {
    const [px, py] = points[i] as Point;
    return (y - py) / (x - px);
  });
  const tangents = points.map((_, i) => {
    const before = slopes[i - 1];
    const after = slopes[i];
    if (before === undefined || after === undefined) return before ?? after ?? 0;
    return before * after <= 0 ? 0 : (2 * before * after) / (before + after);
  });
  return (x) => {
    const last = points.length - 2;
    let i = points.findIndex(([px]) => px > x) - 1;
    if (i === -2) i = last;
    i = clamp(i, 0, last);
    const [x0, y0] = points[i] as Point;
    const [x1, y1] = points[i + 1] as Point;
    const h = x1 - x0;
    const t = clamp((x - x0) / h, 0, 1);
    const [m0 = 0, m1 = 0] = [tangents[i], tangents[i + 1]];
    return (
      y0 * (1 + 2 * t) * (1 - t) ** 2 +
      m0 * h * t * (1 - t) ** 2 +
      y1 * t * t * (3 - 2 * t) +
      m1 * h * t * t * (t - 1)
    );
  };
}

/** Where a drawing is seen from, and the projection onto it. */
export interface Camera {
  eye: Vec;
  /** Height of the horizon in the drawing, pixels from the top. */
  horizon: number;
  project(point: Vec): Point;
  /** Distance along the view, metres. */
  depth(point: Vec): number;
  /** Pixels that one metre covers at a point. */
  scale(point: Vec): number;
}

export interface CameraSettings {
  eye: Vec;
  target: Vec;
  /** Horizontal field of view, degrees. */
  fov: number;
  width: number;
  height: number;
}

/** A perspective camera with vertical lines kept nearly upright, as a photographer would hold it. */
export function camera({ eye, target, fov, width, height }: CameraSettings): Camera {
  const forward = unit(sub(target, eye));
  const right = unit(cross(forward, [0, 0, 1]));
  const up = cross(right, forward);
  const focal = width / 2 / Math.tan((fov * Math.PI) / 360);
  const depth = (p: Vec): number => Math.max(dot(sub(p, eye), forward), 0.05);
  const project = (p: Vec): Point => {
    const d = sub(p, eye);
    const z = depth(p);
    return [width / 2 + (focal * dot(d, right)) / z, height / 2 - (focal * dot(d, up)) / z];
  };
  const horizon = height / 2 + focal * (forward[2] / Math.hypot(forward[0], forward[1]));
  return { eye, horizon, project, depth, scale: (p) => focal / depth(p) };
}

/** The convex hull of points, in order around it. */
export function hull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const p of list) {
      while (chain.length >= 2) {
        const [ax, ay] = chain[chain.length - 2] as Point;
        const [bx, by] = chain[chain.length - 1] as Point;
        if ((bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
