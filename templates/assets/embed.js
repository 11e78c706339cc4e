/*
 * <vehicle-media dealer="…" vrm="…"> or <vehicle-media src="…">: the gallery of a vehicle on any
 * website. The promise of version 1: what works today works for ever at this address; attributes,
 * events and messages are only added. What stands inside the element is shown where there is no
 * script, and where the gallery cannot be had.
 */
(() => {
  if (customElements.get('vehicle-media')) return;
  const VERSION = 1;
  const PATIENCE = 3000;
  const script = document.currentScript ?? document.querySelector('script[src*="/embed.js"]');
  const home = new URL('.', script?.src ?? location.href);
  const ALLOW =
    'accelerometer; autoplay; clipboard-write; encrypted-media; gyroscope; picture-in-picture; web-share';

  class VehicleMedia extends HTMLElement {
    static version = VERSION;
    static observedAttributes = ['dealer', 'vrm', 'src'];

    connectedCallback() {
      this.listen = (event) => this.hear(event);
      addEventListener('message', this.listen);
      this.build();
    }
    disconnectedCallback() {
      removeEventListener('message', this.listen);
      clearTimeout(this.timer);
      this.frame?.remove();
      this.frame = undefined;
    }
    attributeChangedCallback(_name, before, after) {
      if (this.frame !== undefined && before !== after) this.build();
    }

    /** Address of the page in the frame; undefined where the attributes name none of ours. */
    get address() {
      const src = this.getAttribute('src');
      if (src) {
        const url = URL.parse?.(src, home) ?? new URL(src, home);
        const ours =
          url.origin === home.origin && url.pathname.startsWith(`${home.pathname}embed/`);
        return ours ? url.href : undefined;
      }
      const dealer = this.getAttribute('dealer')?.trim();
      const vrm = this.getAttribute('vrm')?.trim();
      if (!vrm || !/^[a-z0-9-]+$/.test(dealer ?? '')) return undefined;
      return `${home.href}embed/${dealer}/find/#vrm=${encodeURIComponent(vrm)}`;
    }

    build() {
      const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
      clearTimeout(this.timer);
      this.removeAttribute('state');
      const { address } = this;
      this.frame = undefined;
      if (!address) return this.fall();
      const frame = document.createElement('iframe');
      this.style.display ||= 'block';
      Object.assign(frame.style, {
        display: 'block',
        width: '100%',
        border: '0',
      });
      // About what a gallery needs, until it says so itself.
      frame.style.height = `${Math.round((this.clientWidth || 600) * 0.75 + 130)}px`;
      frame.title = this.getAttribute('title') ?? this.textContent.trim() ?? '';
      frame.loading = 'lazy';
      frame.allow = ALLOW;
      frame.allowFullscreen = true;
      frame.referrerPolicy = 'strict-origin-when-cross-origin';
      frame.addEventListener('load', () => {
        // A page that is not ours (404, no network) says nothing.
        clearTimeout(this.timer);
        if (!this.getAttribute('state')) this.timer = setTimeout(() => this.fall(), PATIENCE);
      });
      frame.src = address;
      this.frame = frame;
      root.replaceChildren(frame);
    }

    hear({ source, origin, data }) {
      if (!this.frame || source !== this.frame.contentWindow || origin !== home.origin) return;
      if (data?.source !== 'vehicle-media') return;
      clearTimeout(this.timer);
      if (data.event === 'height' && data.height > 0) {
        this.frame.style.height = `${Math.min(4000, Math.ceil(data.height))}px`;
        this.tell('ready');
      } else if (data.event === 'gone') this.tell('gone');
      else if (data.event === 'ready') this.tell('ready');
    }

    /** The gallery cannot be had: what the website put inside the element is shown instead. */
    fall() {
      this.frame = null;
      this.shadowRoot.replaceChildren(document.createElement('slot'));
      this.tell('gone');
    }

    tell(state) {
      const before = this.getAttribute('state');
      if (before === state || before === 'gone') return;
      this.setAttribute('state', state);
      this.dispatchEvent(new CustomEvent(`vehicle-media-${state}`, { bubbles: true }));
    }
  }

  customElements.define('vehicle-media', VehicleMedia);
})();
