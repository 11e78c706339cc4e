import type { Templates } from './names.ts';
import type { Node } from './node.ts';
import { nodesOf, type Reference, referencesOf, resolvedName, textOutside } from './syntax.ts';
import { nothingShows, nothingUses } from './unused.ts';

type Kind = Reference['kind'];

/** How templates are reached from pages, by name; undefined where a name is made, not written. */
function reached(templates: Templates): Map<string, Set<Kind>> | undefined {
  const found = new Map<string, Set<Kind>>();
  const visit = (name: string): boolean => {
    const template = templates.get(name);
    if (!template) return true;
    return [...referencesOf(template.root)].every((reference) => {
      if (reference.name === undefined) return false;
      const named = resolvedName(name, reference.name);
      const known = found.get(named);
      found.set(named, (known ?? new Set()).add(reference.kind));
      return known !== undefined || visit(named);
    });
  };
  const pages = [...templates.keys()].filter((name) => !name.startsWith('partials/'));
  return pages.every(visit) ? found : undefined;
}

/** Names of the blocks that a template and those below it have; undefined where they are not known. */
function blocksBelow(name: string, templates: Templates): Set<string> | undefined {
  const blocks = new Set<string>();
  const seen = new Set<string>();
  let below: string | undefined = name;
  while (below !== undefined && !seen.has(below)) {
    seen.add(below);
    const root: Node | undefined = templates.get(below)?.root;
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
export function checkUses(templates: Templates): void {
  const uses = reached(templates);
  for (const [name, { file, root, isTheirs }] of templates) {
    if (!isTheirs) continue;
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
    if (base) {
      const blocks = base.name && blocksBelow(resolvedName(name, base.name), templates);
      checkBlocks(root, file, blocks || undefined);
    } else if (kinds && !kinds.has('Include') && !kinds.has('Extends')) {
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
function checkBlocks(root: Node, file: string, below: Set<string> | undefined): void {
  const line = textOutside(root, /^(?:Macro|Caller|Block)$/);
  if (line !== undefined) {
    throw nothingShows(
      `line ${line}`,
      file,
      'The template extends another: it fills blocks, and what stands outside of them is not shown.',
      'Move it into a block, or take it out.',
    );
  }
  if (!below) return;
  // A block within another is shown with it.
  const outer = [...nodesOf(root)].filter(({ typename }) => typename === 'Block');
  const inner = new Set(
    outer.flatMap((block) => [...nodesOf(block)].filter((one) => one !== block)),
  );
  for (const block of outer) {
    const name = String((block.name as Node).value);
    if (inner.has(block) || below.has(name)) continue;
    throw nothingShows(
      `the block "${name}" in line ${block.lineno + 1}`,
      file,
      `The layout below has no such block; it has ${[...below].join(', ') || 'none'}.`,
      'Correct the name of the block, or take it out.',
    );
  }
}
