type Attributes = Record<string, string | true>;

/** A page as a tree of posthtml. */
interface Tree {
  match(pattern: { tag: string }, change: (node: { attrs?: Attributes }) => object): unknown;
}

type ChangeUrl = (url: string) => string;

/** Eleventy's steps that change the HTML of a page. */
export interface HtmlTransformer {
  plugins: { html?: { fn: () => (tree: Tree) => unknown; enabled: () => boolean }[] };
  callbacks: { html?: { fn: ChangeUrl; enabled: (context: object) => boolean }[] };
  addUrlTransform(
    extensions: string,
    change: ChangeUrl,
    options: { priority: number; enabled: (context: object) => boolean },
  ): void;
  addPosthtmlPlugin(
    extensions: string,
    plugin: () => (tree: Tree) => unknown,
    options: { priority: number; enabled: () => boolean },
  ): void;
}

/** The transform of eleventy-img skips images with this attribute. */
const IGNORE = 'eleventy:ignore';

/**
 * Keeps the transform of eleventy-img away from thumbnails, logos and pictures of the theme, which are not files of the
 * project. The transform has priority -1, so one step runs before it and one after it.
 *
 * @param home path of the site. Assets of the program have a hash.
 */
export function keepImages(
  { htmlTransformer }: { htmlTransformer: HtmlTransformer },
  home: () => string,
): void {
  const step = (change: (attributes: Attributes) => void) => () => (tree: Tree) =>
    tree.match({ tag: 'img' }, (image) => {
      const { attrs = {} } = image;
      const address = String(attrs.src);
      const isAsset = address.startsWith(`${home()}assets/`) && /\?v=\w+$/.test(address);
      if (isAsset || address.startsWith(`${home()}media/`)) change(attrs);
      return image;
    });
  const mark = step((attributes) => {
    attributes[IGNORE] = true;
  });
  const clean = step((attributes) => {
    delete attributes[IGNORE];
  });
  const steps = [mark, clean];
  // Otherwise, Eleventy would parse all pages only for these steps. It has further steps that are disabled.
  const enabled = () =>
    htmlTransformer.plugins.html?.some((other) => !steps.includes(other.fn) && other.enabled()) ??
    false;
  htmlTransformer.addPosthtmlPlugin('html', mark, { priority: 0, enabled });
  htmlTransformer.addPosthtmlPlugin('html', clean, { priority: -2, enabled });
}

/**
 * Keeps links that have the path of the site, such as `/cars/`. The HTML base plugin of Eleventy, which plugins for
 * feeds add without asking, would put it before every link. It has priority -2.
 *
 * @param home URL of the site.
 */
export function keepLinks(
  { htmlTransformer }: { htmlTransformer: HtmlTransformer },
  { origin, pathname: home }: URL,
): void {
  const twice = home + home.slice(1);
  const shorten = (url: string): string => {
    const start = [twice, origin + twice].find((other) => url.startsWith(other));
    if (home === '/' || start === undefined) return url;
    return shorten(start.slice(0, -home.length) + url.slice(start.length - 1));
  };
  const enabled = (context: object) =>
    htmlTransformer.callbacks.html?.some(
      (other) => other.fn !== shorten && other.enabled(context),
    ) ?? false;
  htmlTransformer.addUrlTransform('html', shorten, { priority: -3, enabled });
}
