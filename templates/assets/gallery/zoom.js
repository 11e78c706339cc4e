import { isUnmodified, setSizes } from './slides.js';

const distance = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);

/** Pinch, double tap, ctrl and wheel, or the button: enlarges the picture that is shown. */
export class Zoom {
  constructor(list, current) {
    this.list = list;
    this.current = current;
    this.pointers = new Map();
    this.reset();
    list.addEventListener('pointerdown', (event) => this.down(event));
    list.addEventListener('pointermove', (event) => this.move(event));
    for (const type of ['pointerup', 'pointercancel']) {
      list.addEventListener(type, (event) => this.up(event));
    }
    list.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        this.to(this.scale * Math.exp(-event.deltaY / 100), event.clientX, event.clientY);
      },
      { passive: false },
    );
    // Of fingers, too, in some browsers: those are counted by `up`.
    list.addEventListener('dblclick', (event) => {
      if (this.mouse) this.toggle(event.clientX, event.clientY);
    });
    // A link that is dragged takes the pointer away.
    list.addEventListener('dragstart', (event) => event.preventDefault());
    new ResizeObserver(() => this.shown && this.draw()).observe(list);
  }
  get picture() {
    return this.current().querySelector('.shot img');
  }
  reset() {
    if (this.shown) this.shown.style.transform = '';
    this.scale = 1;
    this.x = this.y = 0;
    this.shown = undefined;
    this.list.classList.remove('zoomed');
  }
  toggle(x, y) {
    if (this.scale > 1) this.reset();
    else this.to(2.5, x, y);
  }
  /** A scale at which the point under (x, y), or the middle, stays where it is. */
  to(wanted, x, y) {
    const { picture } = this;
    if (!picture) return;
    const scale = Math.min(6, wanted);
    if (scale < 1.05) return this.reset();
    this.shown = picture;
    const ratio = scale / this.scale;
    const { left, top, width, height } = this.list.getBoundingClientRect();
    const dx = x === undefined ? 0 : x - left - width / 2;
    const dy = y === undefined ? 0 : y - top - height / 2;
    this.x = dx - (dx - this.x) * ratio;
    this.y = dy - (dy - this.y) * ratio;
    this.scale = scale;
    // The browser takes a larger file of the set.
    setSizes(picture.closest('a'), `${Math.ceil(scale * 100)}vw`);
    this.list.classList.add('zoomed');
    this.draw();
  }
  /** No further than the edge of the picture itself, whose shape is not that of the screen. */
  draw() {
    const { clientWidth: width, clientHeight: height } = this.list;
    const { naturalWidth, naturalHeight } = this.shown;
    const fit = Math.min(width / naturalWidth, height / naturalHeight);
    const within = (place, length, space) => {
      const limit = Math.max(0, ((length * fit || space) * this.scale - space) / 2);
      return Math.max(-limit, Math.min(limit, place));
    };
    this.x = within(this.x, naturalWidth, width);
    this.y = within(this.y, naturalHeight, height);
    this.shown.style.transform = `translate(${this.x}px,${this.y}px) scale(${this.scale})`;
  }
  pan(x, y) {
    this.x += x;
    this.y += y;
    this.draw();
  }
  /** Whether a key moves the enlarged picture. */
  key(event) {
    const way = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const [x, y] = (this.scale > 1 && isUnmodified(event) && way[event.key]) || [];
    if (x === undefined) return false;
    event.preventDefault();
    this.pan((x * innerWidth) / 5, (y * innerHeight) / 5);
    return true;
  }
  down(event) {
    this.pointers.set(event.pointerId, event);
    this.mouse = event.pointerType === 'mouse';
    this.tap = !this.mouse && this.pointers.size === 1 ? event : undefined;
    if (this.pointers.size === 2 && this.picture) {
      const [a, b] = this.pointers.values();
      this.pinch = {
        gap: distance(a, b),
        scale: this.scale,
      };
    }
  }
  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    this.pointers.set(event.pointerId, event);
    if (this.tap && distance(this.tap, event) > 10) this.tap = undefined;
    if (this.pinch && this.pointers.size === 2) {
      const [a, b] = this.pointers.values();
      const scale = Math.max(1, (this.pinch.scale * distance(a, b)) / this.pinch.gap);
      this.to(scale, (a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
    } else if (this.scale > 1) {
      this.pan(event.clientX - before.clientX, event.clientY - before.clientY);
    }
  }
  up(event) {
    this.pointers.delete(event.pointerId);
    if (this.pointers.size < 2) this.pinch = undefined;
    // A tap is a finger that comes and goes in one place; one that moves on is a swipe.
    const { tap, tapped } = this;
    this.tap = undefined;
    if (!tap || event.type !== 'pointerup') return;
    const again = tapped && tap.timeStamp - tapped.timeStamp < 300 && distance(tap, tapped) < 40;
    this.tapped = again ? undefined : tap;
    if (again) this.toggle(tap.clientX, tap.clientY);
  }
}
