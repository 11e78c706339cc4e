type Attributes = Record<string, string | true>;

/** A page as a tree of posthtml. */
interface Tree {
  match(pattern: { tag: string }, change: (node: { attrs?: Attributes }) => object): unknown;
}

/** Eleventy's steps that change the HTML of a page. */
export interface HtmlTransformer {
  plugins: { html?: { fn: () => (tree: Tree) => unknown; enabled: () => boolean }[] };
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
