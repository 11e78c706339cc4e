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
 * Keeps the transform of eleventy-img away from images that exist already. The transform has priority -1, so one step
 * runs before it and one after it.
 *
 * @param folder beginning of the addresses of these images.
 */
export function keepImages(
  { htmlTransformer }: { htmlTransformer: HtmlTransformer },
  folder: () => string,
): void {
  const step = (change: (attributes: Attributes) => void) => () => (tree: Tree) =>
    tree.match({ tag: 'img' }, (image) => {
      const { attrs = {} } = image;
      if (String(attrs.src).startsWith(folder())) change(attrs);
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
