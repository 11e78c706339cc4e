import { isUnmodified, reducedMotion } from './slides.js';

/** Moves through the slides of one scroller, and tracks the current slide. */
export class Track {
  constructor(list, onChange) {
    this.list = list;
    this.slides = [...list.children];
    this.onChange = onChange;
    this.at = 0;
    this.goal = -1;
    list.addEventListener('scroll', () => this.read(), { passive: true });
    // Keeps the slide when a phone is rotated. Observers also fire at the start and when heights change, which
    // must not interrupt a swipe.
    let width = list.clientWidth;
    new ResizeObserver(() => {
      if (list.clientWidth === width) return;
      width = list.clientWidth;
      this.place(this.at, true);
    }).observe(list);
    for (const type of ['pointerdown', 'wheel']) {
      list.addEventListener(
        type,
        () => {
          this.goal = -1;
        },
        { passive: true },
      );
    }
  }
  read() {
    const { list, slides } = this;
    if (!list.clientWidth) return;
    const n = Math.min(Math.round(Math.abs(list.scrollLeft) / list.clientWidth), slides.length - 1);
    // Does not report slides on the way to a goal.
    if (this.goal >= 0 && n !== this.goal) return;
    this.goal = -1;
    this.set(n);
  }
  set(n) {
    if (n === this.at) return;
    this.at = n;
    this.onChange(n);
  }
  go(n, instant) {
    const { slides } = this;
    const to = (n + slides.length) % slides.length;
    // Jumps from end to start, and if the visitor prefers reduced motion.
    const jump = instant || reducedMotion.matches || Math.abs(to - this.at) > 3;
    // First the change, because a removed player changes the layout, which would stop a smooth scroll.
    this.set(to);
    this.place(to, jump);
  }
  place(to, jump) {
    const { list, slides } = this;
    const left = slides[to].offsetLeft - slides[0].offsetLeft;
    this.goal = Math.abs(list.scrollLeft - left) > 1 ? to : -1;
    list.scrollTo({ left, behavior: jump ? 'instant' : 'smooth' });
  }
  /** Moves with the navigation keys. */
  key(event) {
    const forward = getComputedStyle(this.list).direction === 'rtl' ? -1 : 1;
    const to = {
      ArrowRight: this.at + forward,
      ArrowLeft: this.at - forward,
      Home: 0,
      // The last one, because `go` wraps around.
      End: -1,
    }[event.key];
    if (to === undefined || this.slides.length < 2 || !isUnmodified(event)) return;
    event.preventDefault();
    this.go(to);
  }
}
