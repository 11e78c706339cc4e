import { nothingShows, nothingUses } from './failure.ts';
import { blocksIn, layoutsBelow, type Templates } from './names.ts';
import {
  blockName,
  blocksOf,
  extendedBy,
  type Node,
  nodesOf,
  type Reference,
  referencesOf,
  resolvedName,
  textOutside,
} from './syntax.ts';

type Kind = Reference['kind'];

/** How templates are reached from pages, by name. Undefined where a name is made, not written. */
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
      const below = layoutsBelow(name, templates);
      const blocks = below?.flatMap((one) => blocksIn(one, templates));
      checkBlocks(root, file, blocks && new Set(blocks));
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
  const outer = blocksOf(root);
  const inner = new Set(
    outer.flatMap((block) => [...nodesOf(block)].filter((one) => one !== block)),
  );
  for (const block of outer) {
    const name = blockName(block);
    if (inner.has(block) || below.has(name)) continue;
    throw nothingShows(
      `the block "${name}" in line ${block.lineno + 1}`,
      file,
      `The layout below has no such block; it has ${[...below].join(', ') || 'none'}.`,
      'Correct the name of the block, or take it out.',
    );
  }
}
