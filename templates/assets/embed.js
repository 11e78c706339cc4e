/*
 * <vehicle-media dealer="…" vrm="…"> or <vehicle-media src="…">: the gallery of a vehicle on any
 * website. Version 1 of this URL stays compatible: attributes, events and messages are only added. The
 * content of the element is shown without scripts, and if the gallery cannot be loaded.
 *
 * The gallery has the background of the website. A browser keeps a frame transparent only if its colour
 * scheme equals the scheme of the page inside, so both get the same one: frame.js reads it from the frame's name.
 */
(() => {
  if (customElements.get('vehicle-media')) return;
  const script = document.currentScript ?? document.querySelector('script[src*="/embed.js"]');
  const home = new URL('.', script?.src ?? location.href);
  const ALLOW =
    'accelerometer; autoplay; clipboard-write; encrypted-media; gyroscope; picture-in-picture; web-share';

  const night = matchMedia('(prefers-color-scheme: dark)');

  /** Rules of the website override these. The element fills the width of its container, also in a row. */
  let sheet;
  try {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(':host{min-width:0;width:-moz-available;width:-webkit-fill-available}');
  } catch {
    // In an old browser, the website sets the width.
  }

  /** Whether a computed colour, in any notation, is light. */
  const isLight = (colour) => {
    const [form, a, b, c] = colour.replace(/^color.\S+/, 'o').split(/[ ,()]+/);
    if (form[0] === 'r') return +a + +b + +c > 430;
    return a > (form[0] === 'o' ? 0.6 : 60);
  };

  class VehicleMedia extends HTMLElement {
    static version = 1;
    static observedAttributes = ['dealer', 'vrm', 'src', 'theme'];

    listen = (event) => (event.data ? this.hear(event) : this.dress());

    connectedCallback() {
      addEventListener('message', this.listen);
      night.addEventListener('change', this.listen);
      this.build();
    }
    disconnectedCallback() {
      removeEventListener('message', this.listen);
      night.removeEventListener('change', this.listen);
      clearTimeout(this.timer);
      this.frame = undefined;
    }
    attributeChangedCallback(name, before, after) {
      if (this.frame === undefined || before === after) return;
      if (name === 'theme') this.dress();
      else this.build();
    }

    said(name) {
      return (this.getAttribute(name) ?? '').trim();
    }

    /** URL of the page in the frame. Undefined if the attributes do not name a page of this site. */
    get address() {
      const src = this.said('src');
      if (src) {
        const { href } = new URL(src, home);
        return href.startsWith(`${home.href}embed/`) ? href : undefined;
      }
      const dealer = this.said('dealer');
      const vrm = this.said('vrm');
      // May contain a slash, if a language has its own folder: `fr/northgate`.
      if (!vrm || !/^[a-z0-9/-]+$/.test(dealer)) return undefined;
      return `${home.href}embed/${dealer}/find/#vrm=${encodeURIComponent(vrm)}`;
    }

    build() {
      const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
      if (sheet) root.adoptedStyleSheets = [sheet];
      clearTimeout(this.timer);
      this.removeAttribute('state');
      const { address } = this;
      if (!address) return this.fall();
      const frame = document.createElement('iframe');
      this.style.display ||= 'block';
      // Hidden until the page reports, so that a 404 page or the wrong colour scheme is never visible.
      frame.style.cssText = 'display:block;width:100%;border:0;visibility:hidden';
      // The usual height of a gallery, until it reports its height.
      frame.style.height = `${(this.clientWidth || 600) * 0.75 + 132}px`;
      frame.loading = 'lazy';
      frame.allow = ALLOW;
      frame.allowFullscreen = true;
      frame.referrerPolicy = 'strict-origin-when-cross-origin';
      frame.onload = () => {
        // Other pages (404, no network) never report.
        clearTimeout(this.timer);
        if (!this.said('state')) this.timer = setTimeout(() => this.fall(), 3000);
      };
      frame.src = address;
      this.frame = frame;
      this.dress();
      root.replaceChildren(frame);
    }

    /** Sets the name and the scheme of the frame: from `theme`, or from the surrounding text. */
    dress() {
      const { frame } = this;
      if (!frame) return;
      frame.title =
        this.said('title') || this.textContent.trim() || this.said('vrm') || document.title;
      let theme = this.said('theme');
      if (!/^(light|dark)$/.test(theme)) {
        theme = isLight(getComputedStyle(this).color) ? 'dark' : 'light';
      }
      frame.style.colorScheme = theme;
      frame.name = `vehicle-media-${theme}`;
      frame.contentWindow?.postMessage({ source: 'vehicle-media', theme }, '*');
    }

    hear({ source, origin, data }) {
      if (source !== this.frame?.contentWindow || origin !== home.origin) return;
      if (data.source !== 'vehicle-media') return;
      clearTimeout(this.timer);
      if (data.event === 'missing' || (data.unlisted && this.textContent.trim()))
        return this.fall();
      this.frame.style.visibility = '';
      if (data.height > 0) {
        this.frame.style.height = `${Math.min(4000, data.height)}px`;
        this.tell('ready');
      } else if (/^(gone|ready)$/.test(data.event)) this.tell(data.event);
    }

    /** Shows the element's own content, because the gallery cannot be loaded. */
    fall() {
      this.frame = null;
      this.shadowRoot.replaceChildren(document.createElement('slot'));
      this.tell('gone');
    }

    tell(state) {
      if ([state, 'gone'].includes(this.said('state'))) return;
      this.setAttribute('state', state);
      this.dispatchEvent(new CustomEvent(`vehicle-media-${state}`, { bubbles: true }));
    }
  }

  customElements.define('vehicle-media', VehicleMedia);
})();
