import type { Body } from './body.ts';
import {
  type Camera,
  clamp,
  cross,
  dot,
  type Point,
  smoothstep,
  sub,
  unit,
  type Vec,
} from './geometry.ts';
import type { Light } from './light.ts';
import { lowerMesh, upperMesh } from './mesh.ts';
import { hex, mix, path, type Rgb, rgb, times } from './svg.ts';

interface Facet {
  depth: number;
  svg: string;
}

/** How far facets reach over their edges, pixels, to cover the hairlines antialiasing leaves. */
const OVERLAP_PX = 0.75;

/**
 * The painted surface of a car: many small facets, each coloured by what it would mirror.
 * `detail` multiplies the facets; what lies outside the canvas is left out.
 */
export function drawShell(
  body: Body,
  paint: string,
  camera: Camera,
  light: Light,
  canvas: { width: number; height: number },
  detail: number,
): string {
  const draw = (mesh: readonly Vec[][]): string =>
    facetsOf(mesh, rgb(paint), camera, light, canvas)
      .sort((a, b) => b.depth - a.depth)
      .map(({ svg }) => svg)
      .join('');
  // The cabin stands on the body and is never hidden by it; sorting them together would mix the
  // facets along the waistline.
  return draw(lowerMesh(body, detail)) + draw(upperMesh(body, detail));
}

function facetsOf(
  mesh: readonly Vec[][],
  paint: Rgb,
  camera: Camera,
  light: Light,
  { width, height }: { width: number; height: number },
): Facet[] {
  const facets: Facet[] = [];
  for (let i = 0; i + 1 < mesh.length; i++) {
    const [row, next] = [mesh[i] ?? [], mesh[i + 1] ?? []];
    for (let j = 0; j + 1 < row.length; j++) {
      const [a, b, c, d] = [row[j], row[j + 1], next[j + 1], next[j]];
      if (!a || !b || !c || !d) continue;
      const normal = unit(cross(sub(c, a), sub(b, d)));
      const centre: Vec = [
        (a[0] + b[0] + c[0] + d[0]) / 4,
        (a[1] + b[1] + c[1] + d[1]) / 4,
        (a[2] + b[2] + c[2] + d[2]) / 4,
      ];
      const view = unit(sub(camera.eye, centre));
      if (dot(normal, view) <= -0.02) continue;
      const [x, y] = camera.project(centre);
      if (x < -60 || y < -60 || x > width + 60 || y > height + 60) continue;
      const colour = hex(paintColour(paint, normal, view, light));
      const corners = [a, b, c, d].map((corner) => grown(camera.project(corner), [x, y]));
      facets.push({
        depth: camera.depth(centre),
        svg: `<path d="${path(corners)}" fill="${colour}"/>`,
      });
    }
  }
  return facets;
}

/** A corner moved outwards by the overlap. */
function grown([x, y]: Point, [cx, cy]: Point): Point {
  const k = 1 + OVERLAP_PX / Math.max(Math.hypot(x - cx, y - cy), 1);
  return [cx + (x - cx) * k, cy + (y - cy) * k];
}

/** Paint under a clear coat: lit by sky, ground and sun, and mirroring them the flatter it is seen. */
export function paintColour(paint: Rgb, normal: Vec, view: Vec, light: Light): Rgb {
  const facing = clamp(dot(normal, view), 0, 1);
  const fresnel = 0.05 + 0.75 * (1 - facing) ** 4;
  const mirrored = sub(times3(normal, 2 * dot(normal, view)), view);
  const skyShare = (normal[2] + 1) / 2;
  const lit = 0.33 + 0.56 * skyShare ** 1.3 + light.strength * Math.max(0, dot(normal, light.sun));
  const base = times(paint, lit);
  const glint = clamp(dot(unit(mirrored), light.sun), 0, 1) ** 60 * light.strength * 0.9;
  const coat = mix(base, surroundings(unit(mirrored), light), fresnel);
  return [coat[0] + glint, coat[1] + glint, coat[2] + glint * 0.95];
}

/** What is seen in a direction: ground, a dark line of trees and buildings, and the sky. */
export function surroundings(direction: Vec, light: Light): Rgb {
  const z = direction[2];
  const sky = mix(light.horizon, light.zenith, clamp(z, 0, 1) ** 0.6);
  const far = mix(light.ground, light.trees, smoothstep(-0.12, 0.02, z));
  return mix(far, sky, smoothstep(0.08, 0.16, z));
}

const times3 = (v: Vec, k: number): Vec => [v[0] * k, v[1] * k, v[2] * k];
