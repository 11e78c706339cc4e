import { type Camera, cross, dot, lerp, type Point, sub, unit, type Vec } from './geometry.ts';
import { type Attributes, polygon, polyline } from './svg.ts';

/** A place on a surface for two coordinates of a flat view of it. */
export type Surface = (u: number, v: number) => Vec;

const STEP_M = 0.035;
const DELTA = 0.004;

/** The outline with points between its corners, so that it follows a curved surface. */
function dense(outline: readonly Point[], closed: boolean): Point[] {
  const count = closed ? outline.length : outline.length - 1;
  const points: Point[] = [];
  for (let i = 0; i < count; i++) {
    const [a, b] = [outline[i] as Point, outline[(i + 1) % outline.length] as Point];
    const steps = Math.max(1, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / STEP_M));
    for (let s = 0; s < steps; s++) {
      points.push([lerp(a[0], b[0], s / steps), lerp(a[1], b[1], s / steps)]);
    }
  }
  const last = outline.at(-1);
  if (!closed && last) points.push(last);
  return points;
}

/** Draws flat shapes onto the surfaces of a car, leaving out what is turned away. */
export class Patches {
  readonly camera: Camera;
  private readonly surface: Surface;
  private readonly outward: (point: Vec) => Vec;

  constructor(camera: Camera, surface: Surface, outward: (point: Vec) => Vec) {
    this.camera = camera;
    this.surface = surface;
    this.outward = outward;
  }

  /** The part of an outline that faces the camera, in the drawing. */
  visible(outline: readonly Point[], closed = true): Point[] {
    return dense(outline, closed).flatMap(([u, v]) => {
      const point = this.surface(u, v);
      return this.faces(point, u, v) ? [this.camera.project(point)] : [];
    });
  }

  fill(outline: readonly Point[], attributes: Attributes): string {
    return polygon(this.visible(outline), { 'stroke-linejoin': 'round', ...attributes });
  }

  /** A line `width` metres wide. */
  line(points: readonly Point[], width: number, attributes: Attributes): string {
    const [u, v] = points[Math.floor(points.length / 2)] ?? [0, 0];
    const pixels = Math.max(width * this.camera.scale(this.surface(u, v)), 0.7);
    return polyline(this.visible(points, false), { 'stroke-width': pixels, ...attributes });
  }

  private faces(point: Vec, u: number, v: number): boolean {
    const du = sub(this.surface(u + DELTA, v), this.surface(u - DELTA, v));
    const dv = sub(this.surface(u, v + DELTA), this.surface(u, v - DELTA));
    const normal = unit(cross(du, dv));
    const sign = dot(normal, this.outward(point)) < 0 ? -1 : 1;
    return sign * dot(normal, unit(sub(this.camera.eye, point))) > 0.01;
  }
}
