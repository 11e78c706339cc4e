/*
 * The gallery: stage, thumbnails, videos and full-screen viewer. The page works without it; this
 * adds buttons, keys, the counter and zoom to what is already there. A classic script, because
 * module scripts do not load in the sandboxed frames that some websites put the gallery into.
 */
(() => {
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const framed = window.parent !== window;

  /** Moves through the slides of one scroller, and knows which one is shown. */
  class Track {
    constructor(list, onChange) {
      this.list = list;
      this.slides = [...list.children];
      this.onChange = onChange;
      this.at = 0;
      this.goal = -1;
      list.addEventListener('scroll', () => this.read(), { passive: true });
      // A phone that is turned shows the same slide, not another at the same place. Observers also
      // speak when they begin, and of heights: a swipe that is under way then must not be undone.
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
      const n = Math.min(
        Math.round(Math.abs(list.scrollLeft) / list.clientWidth),
        slides.length - 1,
      );
      // On the way to a goal the slides in between are not worth a word.
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
      // Round the corner, and for those who ask for calm, there is nothing to see on the way.
      const jump = instant || calm.matches || Math.abs(to - this.at) > 3;
      this.place(to, jump);
      this.set(to);
    }
    place(to, jump) {
      const { list, slides } = this;
      const left = slides[to].offsetLeft - slides[0].offsetLeft;
      if (Math.abs(list.scrollLeft - left) > 1) this.goal = to;
      list.scrollTo({ left, behavior: jump ? 'instant' : 'smooth' });
    }
    /** Whether a key moves, and where to. */
    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
      const forward = getComputedStyle(this.list).direction === 'rtl' ? -1 : 1;
      const to = {
        ArrowRight: this.at + forward,
        ArrowLeft: this.at - forward,
        Home: 0,
        End: this.slides.length - 1,
      }[event.key];
      if (to === undefined || this.slides.length < 2) return false;
      event.preventDefault();
      this.go(to);
      return true;
    }
  }

  /** Puts the player where its still is, and the focus into it. */
  function play(link, allow) {
    const player = document.createElement('iframe');
    player.title = link.dataset.title;
    player.allow = allow;
    player.allowFullscreen = true;
    player.referrerPolicy = 'strict-origin-when-cross-origin';
    player.src = link.dataset.play;
    link.hidden = true;
    link.after(player);
    player.focus();
  }

  /** A player that is left is taken out: it would go on talking. */
  function stop(list, except) {
    for (const player of list.querySelectorAll('iframe')) {
      if (player.parentElement === except) continue;
      player.previousElementSibling.hidden = false;
      player.remove();
    }
  }

  function button(name, icon, label) {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = `round ${name}`;
    made.setAttribute('aria-label', label);
    made.innerHTML = `<svg aria-hidden="true"><use href="#i-${icon}"/></svg>`;
    return made;
  }

  /** Pinch, double tap, ctrl and wheel, or the button: enlarges the picture that is shown. */
  class Zoom {
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
      list.addEventListener('dblclick', (event) => this.toggle(event.clientX, event.clientY));
    }
    get picture() {
      return this.current().querySelector('.shot picture');
    }
    reset() {
      if (this.shown) this.shown.style.transform = '';
      this.scale = 1;
      this.x = this.y = 0;
      this.shown = undefined;
      this.list.classList.remove('zoomed');
    }
    toggle(x = innerWidth / 2, y = innerHeight / 2) {
      if (this.scale > 1) this.reset();
      else this.to(2.5, x, y);
    }
    /** A scale at which the point under (x, y) stays where it is. */
    to(wanted, x, y) {
      const { picture } = this;
      if (!picture) return;
      const scale = Math.min(6, wanted);
      if (scale < 1.05) return this.reset();
      this.shown = picture;
      const ratio = scale / this.scale;
      const dx = x - innerWidth / 2;
      const dy = y - innerHeight / 2;
      this.x = dx - (dx - this.x) * ratio;
      this.y = dy - (dy - this.y) * ratio;
      this.scale = scale;
      // The browser takes a larger file of the set.
      for (const node of picture.querySelectorAll('source'))
        node.sizes = `${Math.ceil(scale * 100)}vw`;
      this.list.classList.add('zoomed');
      this.draw();
    }
    draw() {
      const limit = (size) => ((this.scale - 1) * size) / 2;
      this.x = Math.max(-limit(innerWidth), Math.min(limit(innerWidth), this.x));
      this.y = Math.max(-limit(innerHeight), Math.min(limit(innerHeight), this.y));
      this.shown.style.transform = `translate(${this.x}px,${this.y}px) scale(${this.scale})`;
    }
    down(event) {
      this.pointers.set(event.pointerId, event);
      if (this.pointers.size === 2 && this.picture) {
        const [a, b] = this.pointers.values();
        this.pinch = {
          gap: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
          scale: this.scale,
        };
      }
      // A finger's second tap; a mouse says dblclick.
      const again =
        this.tap &&
        event.timeStamp - this.tap.timeStamp < 300 &&
        Math.hypot(event.clientX - this.tap.clientX, event.clientY - this.tap.clientY) < 40;
      if (event.pointerType !== 'mouse') {
        if (again && this.pointers.size === 1) this.toggle(event.clientX, event.clientY);
        this.tap = again ? undefined : event;
      }
    }
    move(event) {
      const before = this.pointers.get(event.pointerId);
      if (!before) return;
      this.pointers.set(event.pointerId, event);
      if (this.pinch && this.pointers.size === 2) {
        const [a, b] = this.pointers.values();
        const gap = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
        const scale = Math.max(1, (this.pinch.scale * gap) / this.pinch.gap);
        this.to(scale, (a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
      } else if (this.scale > 1) {
        this.x += event.clientX - before.clientX;
        this.y += event.clientY - before.clientY;
        this.draw();
      }
    }
    up(event) {
      this.pointers.delete(event.pointerId);
      if (this.pointers.size < 2) this.pinch = undefined;
    }
  }

  /** The same slides on the whole screen, in a dialog of the platform. */
  function openViewer({ gallery, stage, track }) {
    if (document.querySelector('.viewer')) return;
    const { viewer: label, close, zoom: zoomLabel } = gallery.dataset;
    const before = document.activeElement;
    const dialog = document.createElement('dialog');
    dialog.className = 'viewer';
    dialog.setAttribute('aria-label', label);
    const list = stage.cloneNode(true);
    for (const slide of list.children) slide.removeAttribute('id');
    for (const image of list.querySelectorAll('[fetchpriority]'))
      image.removeAttribute('fetchpriority');
    for (const node of list.querySelectorAll('source')) node.sizes = '100vw';
    const controls = gallery.querySelector('.controls').cloneNode(true);
    controls
      .querySelector('.full')
      ?.replaceWith(button('zoom', 'zoom', zoomLabel), button('full', 'close', close));
    dialog.append(list, controls);
    // Beside the gallery, so that it inherits the colours of the page.
    gallery.after(dialog);
    const inner = new Track(list, (n) => {
      zoom.reset();
      stop(list);
      tell(dialog, gallery, n, inner.slides.length);
      wake(inner);
    });
    const zoom = new Zoom(list, () => inner.slides[inner.at]);
    dialog.addEventListener('click', (event) => {
      const link = event.target.closest('a');
      if (event.target.closest('.full')) dialog.close();
      else if (event.target.closest('.zoom')) zoom.toggle();
      else if (event.target.closest('.previous')) inner.go(inner.at - 1);
      else if (event.target.closest('.next')) inner.go(inner.at + 1);
      else if (link?.dataset.play) {
        event.preventDefault();
        play(link, gallery.dataset.allow);
      } else if (link?.matches('.shot') && plain(event)) event.preventDefault();
    });
    dialog.addEventListener('keydown', (event) => {
      inner.key(event);
      event.stopPropagation();
    });
    const left = () => document.fullscreenElement || dialog.close();
    dialog.addEventListener('close', () => {
      document.removeEventListener('fullscreenchange', left);
      if (document.fullscreenElement) document.exitFullscreen();
      track.go(inner.at, true);
      dialog.remove();
      // Where it was: the same button, or the picture that is now shown in place of the former.
      const back = before?.closest('.stage') ? track.slides[inner.at].querySelector('a') : before;
      back?.focus({ preventScroll: true });
    });
    const show = () => {
      dialog.showModal();
      inner.go(track.at, true);
      tell(dialog, gallery, inner.at, inner.slides.length);
      wake(inner);
    };
    // In a frame the dialog has only the frame; the screen is asked for, and may be refused. Not for
    // the dialog, which the platform forbids, and before it opens, because the later one is on top.
    const screen = framed && document.documentElement.requestFullscreen?.();
    if (!screen) return show();
    screen
      .then(() => document.addEventListener('fullscreenchange', left))
      .catch(() => {})
      .then(show);
  }

  const plain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

  function tell(root, gallery, n, total) {
    const counter = root.querySelector('.counter');
    if (!counter) return;
    counter.textContent = gallery.dataset.position.replace('{n}', n + 1).replace('{total}', total);
  }

  /** Neighbours are fetched before they are asked for. */
  function wake({ slides, at }) {
    for (const slide of slides.slice(Math.max(0, at - 1), at + 3)) {
      const image = slide.querySelector('img');
      if (image) image.loading = 'eager';
    }
  }

  function start(gallery) {
    const stage = gallery.querySelector('.stage');
    const strip = gallery.querySelector('.strip');
    const thumbs = [...(strip?.querySelectorAll('a') ?? [])];
    const links = [...stage.children].map((slide) => slide.querySelector('a'));

    // One stop for the Tab key in the stage and one in the strip; arrows do the rest.
    const rove = (n) => {
      for (const list of [links, thumbs]) {
        list.forEach((link, index) => {
          link.tabIndex = index === n ? 0 : -1;
        });
      }
    };
    const track = new Track(stage, (n) => {
      stop(stage, track.slides[n]);
      tell(gallery, gallery, n, links.length);
      thumbs.forEach((thumb, index) => {
        if (index === n) thumb.setAttribute('aria-current', 'true');
        else thumb.removeAttribute('aria-current');
      });
      rove(n);
      const thumb = thumbs[n];
      if (thumb) {
        const left = thumb.offsetLeft - (strip.clientWidth - thumb.clientWidth) / 2;
        strip.scrollTo({ left, behavior: calm.matches ? 'instant' : 'smooth' });
      }
      wake(track);
      if (!framed)
        history.replaceState(
          history.state,
          '',
          n ? `#${n + 1}` : location.pathname + location.search,
        );
    });
    rove(0);

    gallery.addEventListener('click', (event) => {
      if (event.defaultPrevented || !plain(event)) return;
      const link = event.target.closest('a');
      if (event.target.closest('.previous')) track.go(track.at - 1);
      else if (event.target.closest('.next')) track.go(track.at + 1);
      else if (event.target.closest('.full')) openViewer({ gallery, stage, track });
      else if (thumbs.includes(link)) {
        event.preventDefault();
        track.go(thumbs.indexOf(link));
      } else if (link?.dataset.play) {
        event.preventDefault();
        play(link, gallery.dataset.allow);
      } else if (link?.matches('.shot')) {
        event.preventDefault();
        track.go(links.indexOf(link), true);
        openViewer({ gallery, stage, track });
      }
    });
    document.addEventListener('keydown', (event) => {
      const { target } = event;
      const here = gallery.contains(target);
      if (!(here || target === document.body) || !track.key(event) || !here) return;
      const list = thumbs.includes(target) ? thumbs : links.includes(target) ? links : [];
      list[track.at]?.focus({ preventScroll: true });
    });
    const fromHash = () => {
      const n = links.findIndex((_, index) => location.hash === `#${index + 1}`);
      if (n >= 0) track.go(n, true);
    };
    addEventListener('hashchange', fromHash);
    // Who was faster than this script stays where they are.
    track.read();
    if (!track.at) fromHash();
    addEventListener('load', () => wake(track));
  }

  for (const gallery of document.querySelectorAll('.gallery')) start(gallery);
})();
