import type { BrowserContextOptions, Page } from 'playwright-core';

/** A screen, a browser and its settings. */
export interface View {
  /** Part of the file's name, such as `360-dark`. */
  name: string;
  context: BrowserContextOptions;
  /** Locale of the site. Default: the demo's. */
  locale?: 'de-DE';
  /** Settings of Blink, for the whole browser. */
  settings?: readonly string[];
  /** Only the screen, not the full page. */
  screen?: boolean;
  /** Runs after the visitor's actions. */
  after?: (page: Page) => Promise<unknown>;
}

const touch = { hasTouch: true, isMobile: true } as const;

/** Screen sizes by width: a phone, a tablet, and two desktops. */
const SIZES: Readonly<Record<string, BrowserContextOptions>> = {
  360: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, ...touch },
  768: { viewport: { width: 768, height: 1024 }, ...touch },
  1366: { viewport: { width: 1366, height: 657 } },
  1920: { viewport: { width: 1920, height: 1080 } },
};

/** Browser flags for a view. Full-page screenshots ignore emulated touch, so the flags remove the mouse. */
export function flagsOf({ context, settings = [] }: View): string[] {
  const touch = context.hasTouch ? ['primaryHoverType=1', 'availableHoverTypes=1'] : [];
  const all = [...touch, ...settings];
  return all.length > 0 ? [`--blink-settings=${all.join()}`] : [];
}

/** Sizes in both colour schemes, and settings of visitors. */
export const VIEWS: readonly View[] = [
  ...Object.entries(SIZES).flatMap(([name, context]) =>
    (['light', 'dark'] as const).map((colorScheme) => ({
      name: `${name}-${colorScheme}`,
      context: { ...context, colorScheme },
    })),
  ),
  { name: '360-german', context: SIZES[360] as BrowserContextOptions, locale: 'de-DE' },
  {
    name: '360-large-text',
    context: SIZES[360] as BrowserContextOptions,
    settings: ['defaultFontSize=32'],
  },
  { name: '1366-forced-colours', context: { ...SIZES[1366], forcedColors: 'active' } },
  {
    name: 'print',
    // A4 at 96 dots per inch.
    context: { viewport: { width: 794, height: 1123 } },
    after: (page) => page.emulateMedia({ media: 'print' }),
  },
];
