import { type Body, lowerMesh, upperMesh } from './body.ts';
import { type Camera, clamp, cross, dot, smoothstep, sub, unit, type Vec } from './geometry.ts';
import type { Light } from './light.ts';
import { hex, mix, path, type Rgb, rgb, times } from './svg.ts';

interface Facet {
  depth: number;
  svg: string;
}

/** The painted surface of a car: many small facets, each coloured by what it would mirror. */
export function drawShell(body: Body, paint: string, camera: Camera, light: Light): string {
  const facets = [
    ...facetsOf(lowerMesh(body, 90), rgb(paint), camera, light),
    ...facetsOf(upperMesh(body, 60), rgb(paint), camera, light),
  ];
  return facets
    .sort((a, b) => b.depth - a.depth)
    .map(({ svg }) => svg)
    .join('');
}

function facetsOf(mesh: readonly Vec[][], paint: Rgb, camera: Camera, light: Light): Facet[] {
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
      const colour = hex(paintColour(paint, normal, view, light));
      const outline = path([a, b, c, d].map(camera.project));
      // The stroke covers the hairline that antialiasing leaves between neighbours.
      const svg = `<path d="${outline}" fill="${colour}" stroke="${colour}" stroke-width="1.2" stroke-linejoin="round"/>`;
      facets.push({ depth: camera.depth(centre), svg });
    }
  }
  return facets;
}

/** Paint under a clear coat: lit by sky, ground and sun, and mirroring them the flatter it is seen. */
export function paintColour(paint: Rgb, normal: Vec, view: Vec, light: Light): Rgb {
  const facing = clamp(dot(normal, view), 0, 1);
  const fresnel = 0.05 + 0.75 * (1 - facing) ** 4;
  const mirrored = sub(times3(normal, 2 * dot(normal, view)), view);
  const skyShare = (normal[2] + 1) / 2;
  const lit = 0.26 + 0.5 * skyShare ** 1.3 + light.strength * Math.max(0, dot(normal, light.sun));
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
