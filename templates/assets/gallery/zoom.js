import { isUnmodified, setSizes } from './slides.js';

/** Maximum scale, and the scale after a double tap. */
const MOST = 6;
const USUAL = 2.5;
/** Part of the movement that a picture follows beyond an edge. */
const RUBBER = 0.35;
/** After release, a picture moves as far as in this many milliseconds at its last speed. */
const MOMENTUM = 200;
/** To close the viewer: part of the height to pull a picture, including momentum, and the scale to pinch it to. */
const PULL = 0.15;
const PINCH = 0.8;
/** Maximum milliseconds and pixels between the clicks of a double click. */
const TWICE = 350;
const NEAR = 40;

const within = (place, most) => Math.max(-most, Math.min(most, place));
const distance = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

/** Fingers, mouse and keys on the current picture. Positions are relative to the middle of the stage. */
export function zoomOf({ dialog, stage, linkOf, leave }) {
  const fingers = new Map();
  let scale = 1;
  let at = [0, 0];
  /** Start of a gesture, and its last speed. */
  let from;
  let speed;
  let time;
  /** The moved or enlarged element. */
  let moved;
  let clicked;

  const room = () => [stage.clientWidth, stage.clientHeight];
  const pointOf = ({ clientX, clientY }) =>
    room().map((length, axis) => [clientX, clientY][axis] - length / 2);
  /** Middle of the fingers, and the distance between them. */
  const grip = () => {
    const [a, b = a] = fingers.values();
    return { middle: a.map((place, axis) => (place + b[axis]) / 2), gap: distance(a, b) };
  };
  /** How much of the picture is beyond each side of the stage. */
  const beyond = () => {
    const { naturalWidth, naturalHeight } = linkOf().querySelector('img') ?? {};
    const [wide, high] = room();
    const fit = scale * Math.min(wide / naturalWidth, high / naturalHeight);
    return [naturalWidth * fit - wide, naturalHeight * fit - high].map((more) => more / 2 || 0);
  };
  /** Limits the position to the picture's edges, or lets it go slightly further with `rubber`. */
  const keepInBounds = (rubber) => {
    const most = beyond();
    at = at.map((place, axis) => {
      const edge = within(place, Math.max(0, most[axis]));
      return edge + (place - edge) * rubber;
    });
  };

  function draw(glides) {
    moved = linkOf();
    stage.classList.toggle('zoomed', scale > 1);
    stage.classList.toggle('glides', glides);
    moved.style.transform = `translate(${at[0]}px,${at[1]}px) scale(${scale})`;
    // The page becomes visible when the picture is pulled away.
    const fade = scale > 1 ? 0 : 1 - scale + Math.abs(at[1]) / stage.clientHeight;
    dialog.style.background = `rgb(0 0 0/${1 - fade})`;
    dialog.classList.toggle('pulled', fade > 0);
  }
  /** Sets a scale so that the point at `start` moves to `point`. */
  function put(target, least, point, start = point, was = { scale, at }) {
    const most = linkOf().matches('.shot') ? MOST : 1;
    scale = Math.max(least, Math.min(most, target));
    at = point.map((place, axis) => place - ((start[axis] - was.at[axis]) * scale) / was.scale);
  }
  function settle(glides) {
    keepInBounds(0);
    draw(glides);
    if (scale > 1) setSizes(moved.querySelector('img'), scale);
  }
  function toggle(point) {
    put(scale > 1 ? 1 : USUAL, 1, point);
    settle(true);
  }
  function reset() {
    if (!moved) return;
    scale = 1;
    at = [0, 0];
    draw(false);
    moved.style.transform = '';
    moved = undefined;
  }

  function begin() {
    // Stops a picture that is still moving.
    const { a, e, f } = new DOMMatrix(getComputedStyle(linkOf()).transform);
    scale = a;
    at = [e, f];
    from = { scale, at, ...grip() };
    speed = [0, 0];
  }
  const on = (types, act) => {
    for (const type of types) dialog.addEventListener(type, act);
  };
  on(['pointerdown'], (event) => {
    const isMouse = event.pointerType === 'mouse';
    if (!stage.contains(event.target) || (isMouse && (event.button || scale === 1))) return;
    fingers.set(event.pointerId, pointOf(event));
    begin();
  });
  on(['pointermove'], (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = grip().middle;
    fingers.set(event.pointerId, pointOf(event));
    const { middle, gap } = grip();
    speed = middle.map((place, axis) => (place - before[axis]) / (event.timeStamp - time || 1));
    time = event.timeStamp;
    const isZoomed = from.scale > 1;
    put(from.scale * (gap / from.gap || 1), isZoomed ? 1 : 0, middle, from.middle, from);
    if (scale > 1) keepInBounds(RUBBER);
    else if (!gap) {
      const [x, y] = at.map(Math.abs);
      from.pulled ||= y > 10 && y > x;
      if (!from.pulled) at = [0, 0];
      at[0] = 0;
    }
    draw(false);
  });
  on(['pointerup', 'pointercancel'], ({ pointerId, type, timeStamp }) => {
    if (!fingers.delete(pointerId)) return;
    if (fingers.size) return begin();
    const push = timeStamp - time < 100 ? MOMENTUM : 0;
    const [, pulled] = at;
    at = at.map((place, axis) => place + speed[axis] * push);
    const far = at[1] * Math.sign(pulled);
    const isPulled = scale === 1 && type === 'pointerup' && far > stage.clientHeight * PULL;
    if (isPulled || scale < PINCH) dialog.animate({ opacity: 0 }, 150).onfinish = leave;
    else {
      scale = Math.max(1, scale);
      settle(true);
    }
  });
  on(['wheel'], (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    put(scale * Math.exp(-event.deltaY / 100), 1, pointOf(event));
    settle(false);
  });
  // Dragging a link would end the pointer events.
  on(['dragstart'], (event) => event.preventDefault());

  return {
    reset,
    toggle,
    /** A double click enlarges the picture. A click outside it closes the viewer. */
    click(event) {
      const point = pointOf(event);
      const { time: last, point: place } = clicked ?? {};
      clicked = undefined;
      if (!event.detail) return;
      if (event.timeStamp - last < TWICE && distance(point, place) < NEAR) return toggle(point);
      clicked = { time: event.timeStamp, point };
      const most = beyond();
      const isBeside = room().some(
        (length, axis) => Math.abs(point[axis]) > length / 2 + most[axis],
      );
      if (scale === 1 && isBeside) leave();
    },
    /** Whether a key moves the enlarged picture. */
    key(event) {
      const way = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      const step = scale > 1 && isUnmodified(event) && way[event.key];
      if (!step) return false;
      event.preventDefault();
      at = room().map((length, axis) => at[axis] + (step[axis] * length) / 5);
      settle(true);
      return true;
    },
  };
}
