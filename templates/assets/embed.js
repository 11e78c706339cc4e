/*
 * <vehicle-media dealer="…" vrm="…"> or <vehicle-media src="…">: the gallery of a vehicle on any
 * website. Version 1 of this URL stays compatible: attributes, events and messages are only added. The
 * content of the element is shown without scripts, and if the gallery cannot be loaded.
 *
 * The gallery has the background of the website. A browser keeps a frame transparent only if its colour
 * scheme equals the scheme of the page inside, so both get the same one: frame.js reads it from the frame's name.
 */
(() => {
  // A module has no current script, and neither has a script in a shadow root.
  const script = document.currentScript?.src ?? /http.*?\/embed\.js/.exec(new Error().stack)?.[0];
  const home = new URL('.', script ?? location).href;
  // The first script shows the vehicles of all sites whose scripts the page has.
  const first = customElements.get('vehicle-media');
  if (first) return first.homes.includes(home) || first.homes.push(home);
  const homes = [home];
  const ALLOW =
    'accelerometer; autoplay; clipboard-write; encrypted-media; gyroscope; picture-in-picture; web-share';

  /** Rules of the website override these. The element fills the width of its container, also in a row. */
  const sheets = [];
  try {
    sheets[0] = new CSSStyleSheet();
    sheets[0].replaceSync(
      ':host{min-width:0;width:-moz-available;width:-webkit-fill-available}:host(:not([hidden])){display:block}',
    );
  } catch {
    // In an old browser, the website sets the width.
  }

  /** Whether a computed colour, in any notation, is light: by its lightness, green or red part. */
  const isLight = (colour) => {
    const [first, green] = colour.match(/\b[\d.]+/g) ?? [];
    return /^r/.test(colour) ? green > 140 : first > (/^l/.test(colour) ? 60 : 0.6);
  };

  class VehicleMedia extends HTMLElement {
    static homes = homes;
    static observedAttributes = ['dealer', 'vrm', 'src', 'theme', 'title'];

    root = this.attachShadow({ mode: 'open' });

    connectedCallback() {
      addEventListener('message', this);
      this.rebuild();
    }
    disconnectedCallback() {
      removeEventListener('message', this);
      clearTimeout(this.timer);
      this.cover(false);
      this.frame = undefined;
    }
    attributeChangedCallback(name, before, after) {
      if (this.frame === undefined || before === after) return;
      if (name[0] === 't') return this.dress();
      this.frame = undefined;
      this.rebuild();
    }

    /** Builds after a script has set all attributes. It may insert the element first. */
    async rebuild() {
      await 0;
      if (this.frame === undefined) this.build();
    }

    /** Shows the element's own content if the page in the frame does not report in time. */
    wait(time) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.state || this.fall(), time);
    }

    said(name) {
      return (this.getAttribute(name) ?? '').trim();
    }

    /**
     * URL of the page in the frame. `src` may also be the URL of the vehicle's own page. Undefined if the attributes
     * do not name a page of the site in turn.
     */
    address() {
      const home = homes[this.turn];
      const vrm = this.said('vrm');
      // May contain a slash, if a language has its own folder: `fr/northgate`.
      const dealer = vrm && this.said('dealer');
      try {
        const [, path] = new URL(
          this.said('src') || (dealer && `${dealer}/find/#vrm=${encodeURIComponent(vrm)}`),
          home,
        ).href.split(home);
        return path && `${home}embed/${path.replace(/^embed\//, '')}`;
      } catch {
        // Not a URL.
      }
      return undefined;
    }

    /** @param turn number of the site, in the order of their scripts. */
    build(turn = 0) {
      this.turn = turn;
      this.root.adoptedStyleSheets = sheets;
      this.timer = clearTimeout(this.timer);
      this.state = this.removeAttribute('state');
      const address = this.address();
      if (!address) return this.fall();
      const frame = document.createElement('iframe');
      // Hidden until the page reports, so that a 404 page or the wrong colour scheme is never visible.
      // It has the usual height of a gallery until it reports its height. Small touch screens have no thumbnails.
      frame.style.cssText = `visibility:hidden;display:block;border:0;width:100%;aspect-ratio:4/3;padding:0 0 ${matchMedia('(hover:none)').matches && (this.offsetWidth || innerWidth) < 640 ? 44 : 132}px;transition:color 1ms`;
      // It inherits the colour of the surrounding text. When the transition ends, the website has other colours.
      frame.ontransitionend = () => this.dress();
      // Pages that are isolated from other origins show only such frames.
      frame.credentialless = self.crossOriginIsolated;
      frame.loading = 'lazy';
      frame.allow = ALLOW;
      frame.allowFullscreen = true;
      // Other pages (404, no network) never report.
      frame.onload = () => this.wait(3000);
      // A host that does not respond never loads.
      new IntersectionObserver(([entry]) => {
        if (!entry.isIntersecting) return;
        // A hidden frame has no transitions.
        this.dress();
        if (!this.timer) this.wait(30_000);
      }).observe(frame);
      frame.src = address;
      this.frame = frame;
      this.dress();
      this.root.replaceChildren(frame);
    }

    /** Sets the name and the scheme of the frame: from `theme`, or from the surrounding text. */
    dress() {
      const { frame } = this;
      if (!frame) return;
      frame.title =
        this.said('title') || this.said('vrm') || this.textContent.trim() || document.title;
      const [theme] = /^(light|dark)$/.exec(this.said('theme')) ?? [
        isLight(getComputedStyle(this).color) ? 'dark' : 'light',
      ];
      frame.style.colorScheme = theme;
      frame.name = `vehicle-media-${theme}`;
      frame.contentWindow?.postMessage({ source: 'vehicle-media', theme }, '*');
    }

    /** A message of the page in the frame. */
    handleEvent({ source, data }) {
      const { frame } = this;
      // Of any origin, because the site may redirect to another domain.
      if (source !== frame?.contentWindow || data?.source !== 'vehicle-media') return;
      // This site responds, so a missing report only means a slow connection.
      frame.onload = null;
      this.wait(30_000);
      if (data.event === 'missing' || (data.unlisted && this.textContent.trim()))
        return this.fall();
      if (data.height > 0) {
        this.height = `${Math.min(4000, data.height)}px`;
        frame.style.height = this.height;
        frame.style.padding = 0;
      }
      if (data.event === 'viewer') this.cover(data.open);
      if (!/^(gone|ready)$/.test(data.event)) return;
      // The page misses a change of colours while it is loading.
      this.dress();
      frame.style.visibility = '';
      this.tell(data.event);
    }

    /** Lets the frame cover the website while its viewer is open, if the browser has no full screen for it. */
    cover(open) {
      const { frame, style } = this;
      if (!frame?.showPopover || Boolean(frame.popover) === open) return;
      // Keeps the space of the frame.
      style.height = open ? `${this.offsetHeight}px` : '';
      frame.popover = open ? 'manual' : null;
      frame.style.height = open ? '100%' : this.height;
      if (open) frame.showPopover();
    }

    /** Tries the next site. Then shows the element's own content, because the gallery cannot be loaded. */
    fall() {
      if (homes[this.turn + 1]) return this.build(this.turn + 1);
      this.root.replaceChildren(document.createElement('slot'));
      this.frame = null;
      // Until then, the script of another site can follow.
      if (document.readyState !== 'complete') return this.wait(99);
      console.warn(
        'vehicle-media not found:',
        this.address() || `set dealer and vrm, or src=${home}embed/`,
      );
      this.tell('gone');
    }

    tell(state) {
      if (this.state === 'gone') return;
      this.setAttribute('state', state);
      // Scripts of the website may remove the attribute.
      this.state = state;
      // Not `Event`, which old versions of MooTools replace.
      this.dispatchEvent(
        new CustomEvent(`vehicle-media-${state}`, { bubbles: true, composed: true }),
      );
    }
  }

  customElements.define('vehicle-media', VehicleMedia);
})();
