import { randomOf } from '../data/random.ts';
import { drawBackdrop } from './backdrop.ts';
import { type Body, bodyOf } from './body.ts';
import { drawCabin } from './cabin.ts';
import { drawNose, drawTail } from './ends.ts';
import {
  type Camera,
  type CameraSettings,
  camera,
  hull,
  type Point,
  type Vec,
} from './geometry.ts';
import { lightOf } from './light.ts';
import { drawMirror, drawScreens } from './screens.ts';
import { drawSeats } from './seats.ts';
import { drawShell } from './shell.ts';
import { drawSide } from './sides.ts';
import type { PictureSpec, View } from './spec.ts';
import { element, hex, linear, mix, polygon, radial, rgb } from './svg.ts';
import { drawTyre, drawWheelFace, wheelsOf } from './wheels.ts';

/** Size that every scene is composed at; the aspect of the picture decides its height. */
export const SCENE_WIDTH = 1600;

/** Views near enough for the facets of the body to be seen one by one. */
const CLOSE_UPS: ReadonlySet<View> = new Set(['wheel', 'headlight', 'tailLight']);

/** The whole drawing of a picture, as SVG of `SCENE_WIDTH` by `height`. */
export function composeScene(spec: PictureSpec, height: number): string {
  const canvas = { width: SCENE_WIDTH, height };
  const content =
    spec.view === 'interior'
      ? drawCabin(canvas, spec)
      : spec.view === 'seats'
        ? drawSeats(canvas, spec)
        : drawOutside(canvas, spec);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${canvas.width}" height="${height}" viewBox="0 0 ${canvas.width} ${height}">${content}</svg>`;
}

function drawOutside(canvas: { width: number; height: number }, spec: PictureSpec): string {
  const { look, view, plate, scene } = spec;
  const body = bodyOf(look.body);
  const light = lightOf(scene);
  const cam = camera({ ...stand(view, body, scene), ...canvas });
  const paint = rgb(look.paint);
  const wheels = wheelsOf(body);
  const near = [-1, 1].filter((side) => cam.eye[1] * side > body.width * 0.4);
  const far = [-1, 1].filter((side) => !near.includes(side));
  const glassTop = hex(mix(light.horizon, light.zenith, 0.5));
  const defs = [
    linear('glass', [
      [0, '#5f7080'],
      [0.45, '#2c353d'],
      [1, '#14181c'],
    ]),
    linear('screen', [
      [0, glassTop],
      [0.5, '#5b6b79'],
      [1, '#1d2329'],
    ]),
    linear('lamp', [
      [0, '#e8eef3'],
      [0.5, '#7d8790'],
      [1, '#3a4047'],
    ]),
    linear('tail', [
      [0, '#d8202a'],
      [1, '#7a0a12'],
    ]),
    radial('lens', [
      [0, '#ffffff'],
      [0.35, '#cfe0ee'],
      [0.75, '#4d5a66'],
      [1, '#20262c'],
    ]),
    radial('tyre', [
      [0, '#2a2c2f'],
      [0.86, '#222427'],
      [1, '#0f1011'],
    ]),
  ];
  return [
    drawBackdrop(canvas, cam, light, scene),
    element('defs', {}, defs.join('')),
    shadow(body, cam, light.sun, light.strength),
    ...far.map((side) => drawMirror(body, cam, side, paint)),
    ...wheels.map((wheel) => drawTyre(wheel, cam)),
    drawShell(body, look.paint, cam, light, canvas, CLOSE_UPS.has(view) ? 2 : 1),
    drawScreens(body, cam, paint),
    ...near.map((side) => drawSide(body, cam, side, paint)),
    drawNose(body, cam, look.face, plate),
    drawTail(body, cam, look.face, plate),
    ...wheels
      .filter(({ side }) => near.includes(side))
      .sort((a, b) => cam.depth(b.centre) - cam.depth(a.centre))
      .map((wheel) => drawWheelFace(wheel, cam, look)),
    ...near.map((side) => drawMirror(body, cam, side, paint)),
  ].join('');
}

/** The shadow on the ground: thrown away from the sun, and dark close under the body. */
function shadow(body: Body, cam: Camera, sun: Vec, strength: number): string {
  const outline = (grow: number, height: number): Vec[] => {
    const [dx, dy] = [(-sun[0] / sun[2]) * height, (-sun[1] / sun[2]) * height];
    const half = body.width / 2 + grow;
    return [
      [0.15 - grow + dx, -half + 0.25 + dy, 0],
      [0.5 + dx, -half + dy, 0],
      [body.length - 0.4 + dx, -half + dy, 0],
      [body.length + grow + dx - 0.1, -half + 0.3 + dy, 0],
      [body.length + grow + dx - 0.1, half - 0.3 + dy, 0],
      [body.length - 0.4 + dx, half + dy, 0],
      [0.5 + dx, half + dy, 0],
      [0.15 - grow + dx, half - 0.25 + dy, 0],
    ];
  };
  // Soft edges by layers that shrink inwards: a blur filter costs more than all else together.
  const layers = (strongest: number, colour: string, at: (grow: number) => Vec[]): string => {
    const each = 1 - (1 - strongest) ** (1 / SHADOW_LAYERS);
    return Array.from({ length: SHADOW_LAYERS }, (_, i) => {
      const grow = 0.16 - (i / (SHADOW_LAYERS - 1)) * 0.34;
      return polygon(rounded(hull(at(grow).map(cam.project))), {
        fill: colour,
        'fill-opacity': each.toFixed(4),
      });
    }).join('');
  };
  return (
    layers(0.25 + strength * 0.4, '#17191c', (grow) => [
      ...outline(grow, 0),
      ...outline(grow - 0.25, body.roofTop * 0.8),
    ]) + layers(0.9, '#050506', (grow) => outline(grow - 0.06, 0))
  );
}

const SHADOW_LAYERS = 12;

/** An outline with its corners cut twice. */
function rounded(outline: readonly Point[]): Point[] {
  const cut = (points: readonly Point[]): Point[] =>
    points.flatMap((a, i): Point[] => {
      const b = points[(i + 1) % points.length] ?? a;
      return [
        [a[0] * 0.75 + b[0] * 0.25, a[1] * 0.75 + b[1] * 0.25],
        [a[0] * 0.25 + b[0] * 0.75, a[1] * 0.25 + b[1] * 0.75],
      ];
    });
  return cut(cut(outline));
}

type Stand = Omit<CameraSettings, 'width' | 'height'>;

/** Where the photographer stands for each view of the outside. */
function stand(view: View, body: Body, scene: number): Stand {
  const random = randomOf('stand', scene, view);
  const sway = random.between(-1, 1);
  const middle: Vec = [body.length / 2, 0, body.roofTop * 0.44];
  /** `angle` from straight ahead towards the left side of the car, degrees. */
  const around = (angle: number, distance: number, height: number, fov: number): Stand => {
    const turn = ((angle + sway * 4) * Math.PI) / 180;
    return {
      target: middle,
      fov,
      eye: [
        middle[0] - Math.cos(turn) * distance,
        middle[1] - Math.sin(turn) * distance,
        height + random.between(-0.1, 0.12),
      ],
    };
  };
  const reach = body.length * 1.72;
  const half = body.width / 2;
  const [front, rear] = body.axles;
  switch (view) {
    case 'frontLeft':
      return around(42, reach, 1.45, 37);
    case 'frontRight':
      return around(-42, reach, 1.4, 37);
    case 'rearLeft':
      return around(140, reach, 1.5, 37);
    case 'rearRight':
      return around(-140, reach, 1.45, 37);
    case 'left':
      return around(90, body.length * 2.1, 1.3, 32);
    case 'right':
      return around(-90, body.length * 2.1, 1.3, 32);
    case 'front':
      return around(4, body.length / 2 + 5.2, 1.35, 31);
    case 'rear':
      return around(177, body.length / 2 + 5.2, 1.35, 31);
    case 'high':
      return around(34, reach * 0.95, 3.3, 34);
    case 'wheel':
      return {
        eye: [front + 0.35, -half - 1.5, 0.66],
        target: [front + 0.1, -half, body.wheelRadius + 0.07],
        fov: 36,
      };
    case 'headlight': {
      const target = body.nosePoint(-0.5, body.deckAt(0.1) - 0.06);
      return { target, eye: [target[0] - 1.9, target[1] - 0.9, target[2] + 0.32], fov: 36 };
    }
    case 'tailLight': {
      const target = body.tailPoint(0.5, body.deckAt(rear) - 0.12);
      return { target, eye: [target[0] + 1.9, target[1] + 0.9, target[2] + 0.3], fov: 36 };
    }
    case 'interior':
    case 'seats':
      return around(42, reach, 1.45, 37);
  }
}
