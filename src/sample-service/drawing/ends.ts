import type { Body } from './body.ts';
import { type Camera, lerp, type Point, type Vec } from './geometry.ts';
import { GLYPH_HEIGHT, lettering } from './glyphs.ts';
import { Patches } from './patch.ts';
import { polygon, polyline } from './svg.ts';

/** Size of a British plate, metres. */
const PLATE = { width: 0.52, height: 0.111 };

const mirrored = (points: readonly Point[], side: number): Point[] =>
  points.map(([y, z]) => [y * side, z]);

/** The nose: grille, headlights, lower intake, badge and white plate. */
export function drawNose(body: Body, camera: Camera, face: number, plate: string): string {
  const patches = new Patches(camera, body.nosePoint, ([x, y]) => [-1, y * 0.6 * x, 0.1]);
  const [low, high] = [body.underAt(0.1), body.deckAt(0.12)];
  const z = (share: number): number => lerp(low, high, share);
  const w = body.width / 2;
  const lamp: Point[] = [
    [w * 0.5, z(0.66 + face * 0.03)],
    [w * 0.56, z(0.88)],
    [w * 0.8, z(1.0)],
    [w * 0.955, z(1.12)],
    [w * 0.96, z(0.98)],
    [w * 0.88, z(0.78)],
    [w * 0.7, z(0.66)],
  ];
  const grilles: readonly Point[][] = [
    [
      [-0.46, z(0.7)],
      [-0.48, z(0.9)],
      [0.48, z(0.9)],
      [0.46, z(0.7)],
    ],
    [
      [-0.3, z(0.52)],
      [-0.43, z(0.72)],
      [-0.4, z(0.92)],
      [0.4, z(0.92)],
      [0.43, z(0.72)],
      [0.3, z(0.52)],
    ],
    [
      [-0.44, z(0.78)],
      [-0.46, z(0.88)],
      [0.46, z(0.88)],
      [0.44, z(0.78)],
    ],
  ];
  const grille = grilles[face] ?? [];
  const [gl, gh] = [Math.min(...grille.map((p) => p[1])), Math.max(...grille.map((p) => p[1]))];
  const intake: Point[] = [
    [-w * 0.62, z(0.08)],
    [-w * 0.54, z(0.34)],
    [w * 0.54, z(0.34)],
    [w * 0.62, z(0.08)],
  ];
  const parts = [
    patches.fill(intake, { fill: '#0d0e10' }),
    ...[0.14, 0.21, 0.28].map((s) =>
      patches.line(
        [
          [-w * 0.56, z(s)],
          [w * 0.56, z(s)],
        ],
        0.008,
        { stroke: '#33363a' },
      ),
    ),
    patches.fill(grille, {
      fill: '#0a0b0c',
      stroke: '#b9bec3',
      'stroke-width': 0.012 * camera.scale([0, 0, gl]),
    }),
    ...[0.25, 0.5, 0.75].map((s) => {
      const half = 0.4 - (face === 1 ? 0.06 * Math.abs(1 - 2 * s) : 0);
      return patches.line(
        [
          [-half, lerp(gl, gh, s)],
          [half, lerp(gl, gh, s)],
        ],
        0.007,
        { stroke: '#4a4e53' },
      );
    }),
    badge(camera, [body.nosePoint(0, z(0.82))[0] - 0.01, 0, z(0.82)], -1),
  ];
  for (const side of [-1, 1]) {
    const fog: Point[] = [
      [w * 0.7, z(0.14)],
      [w * 0.68, z(0.36)],
      [w * 0.86, z(0.42)],
      [w * 0.84, z(0.2)],
    ];
    parts.push(
      patches.fill(mirrored(fog, side), { fill: '#101113' }),
      lampGlass(patches, mirrored(lamp, side)),
      ...[0.62, 0.76].map((y) =>
        lens(patches, camera, body.nosePoint(side * w * y, z(0.82 + (y - 0.62) * 0.5)), 0.045),
      ),
      patches.line(
        mirrored(
          [
            [w * 0.53, z(0.7 + face * 0.02)],
            [w * 0.7, z(0.7)],
            [w * 0.86, z(0.81)],
            [w * 0.94, z(0.98)],
          ],
          side,
        ),
        0.013,
        { stroke: '#f7fbff' },
      ),
    );
  }
  const at = face === 1 ? 0.36 : 0.44;
  const height = z(at);
  parts.push(drawPlate(camera, body.nosePoint(0, height)[0] - 0.03, height, -1, plate));
  return parts.join('');
}

function lampGlass(patches: Patches, outline: readonly Point[]): string {
  return (
    patches.fill(outline, { fill: 'url(#lamp)', stroke: '#15171a', 'stroke-width': 2 }) +
    patches.fill(outline, { fill: '#fff', opacity: '0.06' })
  );
}

function lens(patches: Patches, camera: Camera, centre: Vec, radius: number): string {
  const [x, y] = camera.project(centre);
  const r = radius * camera.scale(centre);
  // A lens on the far side of the nose is seen edge-on; its lamp then has too few visible points.
  const seen = patches.visible([
    [centre[1] - 0.03, centre[2]],
    [centre[1] + 0.03, centre[2]],
    [centre[1], centre[2] + 0.03],
  ]);
  if (seen.length < 5) return '';
  const width = Math.max(...seen.map((p) => p[0])) - Math.min(...seen.map((p) => p[0]));
  const squeeze = Math.min(1, width / (0.06 * camera.scale(centre)) + 0.05);
  return `<ellipse cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" rx="${(r * squeeze).toFixed(1)}" ry="${r.toFixed(1)}" fill="url(#lens)" stroke="#22262b" stroke-width="${(r * 0.12).toFixed(1)}"/>`;
}

function badge(camera: Camera, centre: Vec, facing: number): string {
  if ((camera.eye[0] - centre[0]) * facing <= 0.3) return '';
  const ring = (radius: number): Point[] =>
    Array.from({ length: 24 }, (_, i) => {
      const a = (i / 24) * Math.PI * 2;
      return camera.project([centre[0], Math.cos(a) * radius, centre[2] + Math.sin(a) * radius]);
    });
  return (
    polygon(ring(0.05), { fill: '#d9dde1', stroke: '#6d7277', 'stroke-width': 1 }) +
    polygon(ring(0.034), { fill: '#23272c' })
  );
}

/** The tail: lights, shut line, diffuser, badge and yellow plate. */
export function drawTail(body: Body, camera: Camera, face: number, plate: string): string {
  const patches = new Patches(camera, body.tailPoint, ([, y]) => [1, y * 0.6, 0.1]);
  const end = body.length;
  const [low, high] = [body.underAt(end - 0.12), body.deckAt(end - 0.08)];
  const z = (share: number): number => lerp(low, high, share);
  const w = body.width / 2;
  const tall = body.kind === 'van' || (body.kind === 'suv' && face === 2);
  const lamp: Point[] = tall
    ? [
        [w * 0.84, z(0.45)],
        [w * 0.8, z(0.98)],
        [w * 0.95, z(0.98)],
        [w * 0.965, z(0.45)],
      ]
    : [
        [w * 0.5, z(0.74)],
        [w * 0.5, z(0.9)],
        [w * 0.72, z(0.97)],
        [w * 0.965, z(0.97)],
        [w * 0.98, z(0.74)],
        [w * 0.74, z(0.68)],
      ];
  const line = (points: Point[]) => patches.line(points, 0.01, { stroke: '#000', opacity: '0.55' });
  const parts = [
    patches.fill(
      [
        [-w * 0.8, z(0)],
        [-w * 0.76, z(0.17)],
        [w * 0.76, z(0.17)],
        [w * 0.8, z(0)],
      ],
      { fill: '#141517' },
    ),
    line([
      [-w * 0.72, z(0.98)],
      [-w * 0.7, z(0.4)],
      [-w * 0.6, z(0.33)],
      [w * 0.6, z(0.33)],
      [w * 0.7, z(0.4)],
      [w * 0.72, z(0.98)],
    ]),
  ];
  if (face === 1 && !tall) {
    parts.push(
      patches.fill(
        [
          [-w * 0.5, z(0.79)],
          [-w * 0.5, z(0.83)],
          [w * 0.5, z(0.83)],
          [w * 0.5, z(0.79)],
        ],
        { fill: '#7c0f14' },
      ),
    );
  }
  for (const side of [-1, 1]) {
    const inner = lamp.map(
      ([y, h]): Point => [
        lerp(y, w * (tall ? 0.89 : 0.78), 0.35),
        lerp(h, z(tall ? 0.72 : 0.83), 0.45),
      ],
    );
    parts.push(
      patches.fill(mirrored(lamp, side), {
        fill: 'url(#tail)',
        stroke: '#30060a',
        'stroke-width': 2,
      }),
      patches.fill(mirrored(inner, side), { fill: '#ff5a4a', opacity: '0.75' }),
      patches.fill(
        mirrored(
          [
            [w * 0.72, z(0.09)],
            [w * 0.72, z(0.13)],
            [w * 0.86, z(0.14)],
            [w * 0.86, z(0.1)],
          ],
          side,
        ),
        { fill: '#8c1116' },
      ),
      patches.fill(
        mirrored(
          [
            [w * 0.42, z(0.03)],
            [w * 0.42, z(0.11)],
            [w * 0.58, z(0.11)],
            [w * 0.58, z(0.03)],
          ],
          side,
        ),
        { fill: '#9aa0a6', stroke: '#3a3d41', 'stroke-width': 2 },
      ),
    );
  }
  parts.push(badge(camera, [body.tailPoint(0, z(0.86))[0] + 0.01, 0, z(0.86)], 1));
  const height = z(0.56);
  parts.push(drawPlate(camera, body.tailPoint(0, height)[0] + 0.02, height, 1, plate));
  return parts.join('');
}

/** A number plate that faces along x: white at the front (−1), yellow at the rear (1). */
function drawPlate(camera: Camera, x: number, z: number, facing: number, text: string): string {
  if ((camera.eye[0] - x) * facing <= 0.1) return '';
  const at = (right: number, up: number): Point => camera.project([x, -facing * -right, z + up]);
  const [w, h] = [PLATE.width / 2, PLATE.height / 2];
  const board = (grow: number): Point[] => [
    at(-w - grow, -h - grow),
    at(-w - grow, h + grow),
    at(w + grow, h + grow),
    at(w + grow, -h - grow),
  ];
  const scale = camera.scale([x, 0, z]);
  const { lines, width } = lettering(text);
  const unit = Math.min(
    (PLATE.height * 0.68) / GLYPH_HEIGHT,
    (PLATE.width * 0.88) / Math.max(width, 1),
  );
  const strokes = lines.map((line) =>
    polyline(
      line.map(([gx, gy]) => at((gx - width / 2) * unit, (GLYPH_HEIGHT / 2 - gy) * unit)),
      {
        stroke: '#111214',
        'stroke-width': unit * 1.05 * scale,
        'stroke-linecap': 'square',
        'stroke-linejoin': 'miter',
      },
    ),
  );
  return (
    polygon(board(0.012), { fill: '#1a1b1d' }) +
    polygon(board(0), { fill: facing < 0 ? '#f6f6f1' : '#f7ce3c' }) +
    strokes.join('')
  );
}
