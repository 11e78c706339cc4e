/*
 * <vehicle-media dealer="…" vrm="…"> or <vehicle-media src="…">: the gallery of a vehicle on any
 * website. The promise of version 1: what works today works for ever at this address; attributes,
 * events and messages are only added. What stands inside the element is shown where there is no
 * script, and where the gallery cannot be had.
 *
 * The gallery stands on the website's own ground. A browser leaves a frame transparent where its colour
 * scheme and that of the page in it are one, so both are told which it is: frame.js reads the name.
 */
(() => {
  if (customElements.get('vehicle-media')) return;
  const script = document.currentScript ?? document.querySelector('script[src*="/embed.js"]');
  const home = new URL('.', script?.src ?? location.href);
  const ALLOW =
    'accelerometer; autoplay; clipboard-write; encrypted-media; gyroscope; picture-in-picture; web-share';

  const night = matchMedia('(prefers-color-scheme: dark)');

  /** Rules of the website win over these. As wide as its place, within its margins, in rows as well. */
  let sheet;
  try {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(':host{min-width:0;width:-moz-available;width:-webkit-fill-available}');
  } catch {
    // An old browser: it is as wide as the website makes it.
  }

  /** Whether a colour is a light one, in any of the forms that computed colours have. */
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

    /** Address of the page in the frame; undefined where the attributes name none of ours. */
    get address() {
      const src = this.said('src');
      if (src) {
        const { href } = new URL(src, home);
        return href.startsWith(`${home.href}embed/`) ? href : undefined;
      }
      const dealer = this.said('dealer');
      const vrm = this.said('vrm');
      // With a slash where the pages of a language have a folder: `fr/northgate`.
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
      // It is shown when a page of ours reports: no 404 page, and none in the other colour scheme, is seen.
      frame.style.cssText = 'display:block;width:100%;border:0;visibility:hidden';
      // What a gallery of ordinary pictures needs; it says itself what another does.
      frame.style.height = `${Math.round((this.clientWidth || 600) * 0.75 + 132)}px`;
      frame.loading = 'lazy';
      frame.allow = ALLOW;
      frame.allowFullscreen = true;
      frame.referrerPolicy = 'strict-origin-when-cross-origin';
      frame.onload = () => {
        // A page that is not ours (404, no network) says nothing.
        clearTimeout(this.timer);
        if (!this.said('state')) this.timer = setTimeout(() => this.fall(), 3000);
      };
      frame.src = address;
      this.frame = frame;
      this.dress();
      root.replaceChildren(frame);
    }

    /** Tells the frame its name and its scheme: that of `theme`, or of the text around. */
    dress() {
      const { frame } = this;
      if (!frame) return;
      frame.title =
        this.said('title') || this.textContent.trim() || this.said('vrm') || document.title;
      let theme = this.said('theme');
      if (!/^(?:light|dark)$/.test(theme)) {
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
      if (data.event === 'missing') return this.fall();
      this.frame.style.visibility = '';
      if (data.height > 0) {
        this.frame.style.height = `${Math.min(4000, Math.ceil(data.height))}px`;
        this.tell('ready');
      } else if (/^(?:gone|ready)$/.test(data.event)) this.tell(data.event);
    }

    /** The gallery cannot be had: what the website put inside the element is shown instead. */
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
