import type { Templates } from './names.ts';
import {
  type Node,
  nodesOf,
  type Reference,
  referencesOf,
  resolvedName,
  textOutside,
} from './syntax.ts';
import { nothingShows, nothingUses } from './unused.ts';

type Kind = Reference['kind'];

/** How templates are reached from pages, by name; undefined where a name is made, not written. */
function reached(trees: ReadonlyMap<string, Node>): Map<string, Set<Kind>> | undefined {
  const found = new Map<string, Set<Kind>>();
  const visit = (name: string): boolean => {
    const root = trees.get(name);
    if (!root) return true;
    return [...referencesOf(root)].every((reference) => {
      if (reference.name === undefined) return false;
      const other = resolvedName(name, reference.name);
      const known = found.get(other);
      found.set(other, (known ?? new Set()).add(reference.kind));
      return known !== undefined || visit(other);
    });
  };
  const pages = [...trees.keys()].filter((name) => !name.startsWith('partials/'));
  return pages.every(visit) ? found : undefined;
}

/** Names of the blocks that a template and those below it have; undefined where they are not known. */
function blocksBelow(name: string, trees: ReadonlyMap<string, Node>): Set<string> | undefined {
  const blocks = new Set<string>();
  const seen = new Set<string>();
  let below: string | undefined = name;
  while (below !== undefined && !seen.has(below)) {
    seen.add(below);
    const root: Node | undefined = trees.get(below);
    if (!root) return undefined;
    for (const node of nodesOf(root)) {
      if (node.typename === 'Block') blocks.add(String((node.name as Node).value));
    }
    const base: Reference | undefined = extendedBy(root);
    if (base && base.name === undefined) return undefined;
    below = base?.name === undefined ? undefined : resolvedName(below, base.name);
  }
  return blocks;
}

const extendedBy = (root: Node): Reference | undefined =>
  [...referencesOf(root)].find(({ kind }) => kind === 'Extends');

/**
 * Looks for what a theme has for nothing: partials that no page leads to, text that no page shows.
 *
 * @throws {ConfigError} with what is unused, and why.
 */
export function checkUses({ templates, trees, isTheirs }: Templates): void {
  const uses = reached(trees);
  for (const [name, root] of trees) {
    const file = templates.get(name) ?? name;
    if (!isTheirs(file)) continue;
    const kinds = uses?.get(name);
    if (uses && !kinds && name.startsWith('partials/')) {
      throw nothingUses(
        file,
        'No layout and no page includes or imports it, nor does a partial that one of them does.',
        'Name it in a template, rename it to the partial of ours that it is to replace, or take it out.',
      );
    }
    const base = extendedBy(root);
    // One that extends another in some cases only may show all that it has.
    if (base && !root.children?.some(({ typename }) => typename === 'Extends')) continue;
    if (base) checkBlocks(root, { file, below: base.name && resolvedName(name, base.name), trees });
    else if (kinds && !kinds.has('Include') && !kinds.has('Extends')) {
      const line = textOutside(root, /^(?:Macro|Caller)$/);
      if (line === undefined) continue;
      throw nothingShows(
        `line ${line}`,
        file,
        'Templates only import the macros of this partial; what stands outside of them is not shown.',
        'Move it into a macro, or take it out.',
      );
    }
  }
}

/** A template that extends another only fills that one's blocks. */
function checkBlocks(
  root: Node,
  {
    file,
    below,
    trees,
  }: { file: string; below: string | undefined; trees: ReadonlyMap<string, Node> },
): void {
  const line = textOutside(root, /^(?:Macro|Caller|Block)$/);
  if (line !== undefined) {
    throw nothingShows(
      `line ${line}`,
      file,
      'The template extends another: it fills blocks, and what stands outside of them is not shown.',
      'Move it into a block, or take it out.',
    );
  }
  const blocks = below === undefined ? undefined : blocksBelow(below, trees);
  if (!blocks) return;
  // A block within another is shown with it.
  const outer = [...nodesOf(root)].filter(({ typename }) => typename === 'Block');
  const inner = new Set(
    outer.flatMap((block) => [...nodesOf(block)].filter((one) => one !== block)),
  );
  for (const block of outer) {
    const name = String((block.name as Node).value);
    if (inner.has(block) || blocks.has(name)) continue;
    throw nothingShows(
      `the block "${name}" in line ${block.lineno + 1}`,
      file,
      `The layout below has no such block; it has ${[...blocks].join(', ') || 'none'}.`,
      'Correct the name of the block, or take it out.',
    );
  }
}
