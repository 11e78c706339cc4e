import { isUnmodified, setSizes } from './slides.js';

/** How far a picture can be enlarged, and how far a double tap does it. */
const MOST = 6;
const USUAL = 2.5;
/** Part of the way that a finger gets beyond an edge. */
const RUBBER = 0.35;
/** A picture that is let go of moves on as far as it would come in so many milliseconds. */
const MOMENTUM = 200;
/** Part of the height that a picture is pulled, momentum included, to close the viewer; and the scale it is pinched to. */
const PULL = 0.15;
const PINCH = 0.8;
/** Milliseconds and pixels between two clicks that are one double click. */
const TWICE = 350;
const NEAR = 40;

const within = (place, most) => Math.max(-most, Math.min(most, place));
const distance = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

/** Fingers, mouse and keys on the picture that is shown. Places count from the middle of the stage. */
export function zoomOf({ dialog, stage, linkOf, leave }) {
  const fingers = new Map();
  let scale = 1;
  let at = [0, 0];
  /** How a gesture began, and how fast it was at last. */
  let from;
  let speed;
  let time;
  /** What is not as it was. */
  let moved;
  let clicked;

  const room = () => [stage.clientWidth, stage.clientHeight];
  const pointOf = ({ clientX, clientY }) =>
    room().map((length, axis) => [clientX, clientY][axis] - length / 2);
  /** Middle of the fingers, and how far apart they are. */
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
  /** No further than the picture's own edges, whose shape is not that of the screen; `rubber`: a little. */
  const held = (rubber) => {
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
    // The page shows through where the picture is pulled away.
    const away = scale > 1 ? 0 : 1 - scale + Math.abs(at[1]) / stage.clientHeight;
    dialog.style.background = `rgb(0 0 0/${1 - away})`;
    dialog.classList.toggle('pulled', away > 0);
  }
  /** To a scale at which what was at `start` is at `point`. */
  function put(wanted, least, point, start = point, was = { scale, at }) {
    const most = linkOf().matches('.shot') ? MOST : 1;
    scale = Math.max(least, Math.min(most, wanted));
    at = point.map((place, axis) => place - ((start[axis] - was.at[axis]) * scale) / was.scale);
  }
  function settle(glides) {
    held(0);
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
    // A picture that glides is stopped where it is.
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
    if (scale > 1) held(RUBBER);
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
  // A link that is dragged takes the pointer away.
  on(['dragstart'], (event) => event.preventDefault());

  return {
    reset,
    toggle,
    /** A second click enlarges the picture; one beside it closes the viewer. */
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
