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

  /** Puts the player where its still is; our controls make room for its own. */
  function play(link, allow) {
    const player = document.createElement('iframe');
    player.title = link.dataset.title;
    player.allow = allow;
    player.allowFullscreen = true;
    player.referrerPolicy = 'strict-origin-when-cross-origin';
    player.src = link.dataset.play;
    link.hidden = true;
    link.after(player);
    link.closest('.frame, .viewer').classList.add('playing');
    return player;
  }

  /** A player that is left is taken out: it would go on talking. */
  function stop(list, except) {
    for (const player of list.querySelectorAll('iframe')) {
      if (player.parentElement === except) continue;
      player.previousElementSibling.hidden = false;
      player.remove();
    }
    const playing = list.querySelector('iframe') !== null;
    list.closest('.frame, .viewer').classList.toggle('playing', playing);
  }

  /** One stop for the Tab key in a list of links; arrows do the rest. */
  function rove(links, n) {
    links.forEach((link, index) => {
      link.tabIndex = index === n ? 0 : -1;
    });
  }

  function button(name, icon, label) {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = `round ${name}`;
    made.setAttribute('aria-label', label);
    made.innerHTML = `<svg aria-hidden="true"><use href="#i-${icon}"/></svg>`;
    return made;
  }

  /** How wide pictures are shown, wherever their sizes are listed. */
  function setSizes(root, sizes) {
    for (const node of root.querySelectorAll('source, img[srcset]')) node.sizes = sizes;
  }

  const plain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  const distance = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);

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
      const [x, y] = (this.scale > 1 && plain(event) && way[event.key]) || [];
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

  /** The same slides on the whole screen, in a dialog of the platform. */
  function openViewer({ gallery, stage, track }) {
    if (document.querySelector('.viewer')) return;
    const { viewer: label, close, zoom: zoomLabel } = gallery.dataset;
    stop(stage);
    const before = document.activeElement;
    const dialog = document.createElement('dialog');
    dialog.className = 'viewer';
    dialog.setAttribute('aria-label', label);
    const list = stage.cloneNode(true);
    for (const slide of list.children) slide.removeAttribute('id');
    for (const image of list.querySelectorAll('[fetchpriority]'))
      image.removeAttribute('fetchpriority');
    setSizes(list, '100vw');
    const controls = gallery.querySelector('.controls').cloneNode(true);
    controls
      .querySelector('.full')
      ?.replaceWith(button('zoom', 'zoom', zoomLabel), button('full', 'close', close));
    dialog.append(list, controls);
    // Beside the gallery, so that it inherits the colours of the page.
    gallery.after(dialog);
    const links = [...list.children].map((slide) => slide.querySelector('a'));
    const inner = new Track(list, (n) => {
      const here = list.contains(document.activeElement);
      zoom.reset();
      stop(list);
      tell(dialog, gallery, n, links.length);
      rove(links, n);
      if (here) links[n].focus({ preventScroll: true });
      remember(n);
      wake(inner);
    });
    const zoom = new Zoom(list, () => inner.slides[inner.at]);
    // What is pressed inside of a player is the player's, Escape too, and nobody else hears of it. So
    // the focus stays before the player, one step of the Tab key away, and comes back from it with
    // the mouse.
    const aside = () => {
      inner.slides[inner.at].tabIndex = -1;
      inner.slides[inner.at].focus({ preventScroll: true });
    };
    dialog.addEventListener('pointermove', ({ target }) => {
      const { activeElement } = document;
      if (activeElement?.tagName === 'IFRAME' && target !== activeElement) aside();
    });
    dialog.addEventListener('click', (event) => {
      const link = event.target.closest('a');
      if (event.target.closest('.full')) dialog.close();
      else if (event.target.closest('.zoom')) zoom.toggle();
      else if (event.target.closest('.previous')) inner.go(inner.at - 1);
      else if (event.target.closest('.next')) inner.go(inner.at + 1);
      else if (link?.dataset.play) {
        event.preventDefault();
        play(link, gallery.dataset.allow);
        aside();
      } else if (link?.matches('.shot') && plain(event)) event.preventDefault();
    });
    dialog.addEventListener('keydown', (event) => {
      if (!zoom.key(event)) inner.key(event);
      event.stopPropagation();
    });
    const left = () => document.fullscreenElement || dialog.close();
    const back = () => history.state?.viewer || dialog.close();
    dialog.addEventListener('close', () => {
      document.removeEventListener('fullscreenchange', left);
      removeEventListener('popstate', back);
      if (document.fullscreenElement) document.exitFullscreen();
      track.go(inner.at, true);
      dialog.remove();
      // Where it was: the same button, or the picture that is now shown in place of the former.
      const home = before?.closest('.stage') ? track.slides[inner.at].querySelector('a') : before;
      home?.focus({ preventScroll: true });
      if (!history.state?.viewer) return;
      addEventListener('popstate', () => remember(track.at), { once: true });
      history.back();
    });
    const show = () => {
      dialog.showModal();
      inner.go(track.at, true);
      tell(dialog, gallery, inner.at, links.length);
      wake(inner);
      // Back closes the viewer and stays on the page. Its entry below names no picture: browsers would
      // give the focus to that one.
      if (!history.state?.viewer) {
        remember(0);
        history.pushState({ ...history.state, viewer: true }, '');
        remember(inner.at);
      }
      addEventListener('popstate', back);
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

  function tell(root, gallery, n, total) {
    const counter = root.querySelector('.counter');
    if (!counter) return;
    counter.textContent = gallery.dataset.position.replace('{n}', n + 1).replace('{total}', total);
  }

  /** The address names the picture that is shown. */
  function remember(n) {
    if (framed) return;
    history.replaceState(history.state, '', n ? `#${n + 1}` : location.pathname + location.search);
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

    const open = () => openViewer({ gallery, stage, track });
    const track = new Track(stage, (n) => {
      stop(stage, track.slides[n]);
      tell(gallery, gallery, n, links.length);
      thumbs.forEach((thumb, index) => {
        if (index === n) thumb.setAttribute('aria-current', 'true');
        else thumb.removeAttribute('aria-current');
      });
      rove(links, n);
      rove(thumbs, n);
      const thumb = thumbs[n];
      if (thumb) {
        const left = thumb.offsetLeft - (strip.clientWidth - thumb.clientWidth) / 2;
        strip.scrollTo({ left, behavior: calm.matches ? 'instant' : 'smooth' });
      }
      wake(track);
      remember(n);
    });
    rove(links, 0);
    rove(thumbs, 0);

    gallery.addEventListener('click', (event) => {
      if (event.defaultPrevented || !plain(event)) return;
      const link = event.target.closest('a');
      if (event.target.closest('.previous')) track.go(track.at - 1);
      else if (event.target.closest('.next')) track.go(track.at + 1);
      else if (event.target.closest('.full')) open();
      else if (thumbs.includes(link)) {
        event.preventDefault();
        track.go(thumbs.indexOf(link));
      } else if (link?.dataset.play) {
        event.preventDefault();
        play(link, gallery.dataset.allow).focus();
      } else if (link?.matches('.shot')) {
        event.preventDefault();
        track.go(links.indexOf(link), true);
        open();
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
    // Loaded again with the viewer open, or forward to it.
    const again = () => history.state?.viewer && open();
    addEventListener('popstate', again);
    again();
    addEventListener('load', () => wake(track));
  }

  for (const gallery of document.querySelectorAll('.gallery')) start(gallery);
})();
