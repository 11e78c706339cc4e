import { didYouMean } from '../../lib/closest.ts';
import { place } from './error-location.ts';
import {
  blockName,
  blocksOf,
  exportedBy,
  extendedBy,
  type Node,
  nodesOf,
  referencesOf,
  resolvedName,
} from './syntax.ts';

/** Nunjucks has tests, too; its types do not say so. */
export interface Finder {
  getFilter(name: string): unknown;
  getTest(name: string): unknown;
}

/** The filter or test that a node names. */
function find(node: Node, finder: Finder): void {
  if (node.typename === 'Filter') finder.getFilter(String((node.name as Node).value));
  if (node.typename !== 'Is') return;
  const { name, value } = node.right as Node;
  finder.getTest(String((name as Node | undefined)?.value ?? value));
}

/** A template of a site, as it was read. */
export interface Template {
  /** Absolute. */
  file: string;
  root: Node;
  /** Whether the file is the theme's. */
  isTheirs: boolean;
}

/** All of them by name. */
export type Templates = ReadonlyMap<string, Template>;

/**
 * Looks for all that templates name, also where no page leads: filters, tests, other templates, and the
 * macros that they import.
 *
 * @throws {Error} noted with file and line: what Nunjucks would throw of a page. Of a macro, with the
 *   template that wants it; where that is ours, with the theme's that lies in the place of ours and does
 *   not have it.
 */
export function checkNames(templates: Templates, finder: Finder): void {
  for (const [name, { file, root }] of templates) {
    for (const node of nodesOf(root)) {
      try {
        find(node, finder);
      } catch (error) {
        throw place(error, { file, line: node.lineno + 1 });
      }
    }
    for (const { name: wanted, line, optional } of referencesOf(root)) {
      if (wanted === undefined || optional) continue;
      const other = resolvedName(name, wanted);
      if (!templates.has(other)) {
        const hint = didYouMean(other, [...templates.keys()]);
        throw place(new Error(`template not found: ${wanted}.${hint}`), { file, line });
      }
    }
  }
  for (const [name, { file, root, isTheirs }] of templates) {
    for (const { name: wanted = '', line, imported } of referencesOf(root)) {
      const other = templates.get(resolvedName(name, wanted));
      const missing = imported.find((one) => other && !exportedBy(other.root).has(one));
      if (!other || missing === undefined) continue;
      const error = new Error(`cannot import '${missing}': ${wanted} has no such macro`);
      throw other.isTheirs && !isTheirs
        ? place(error, { file: other.file, line: undefined, usedIn: [{ file, line }] })
        : place(error, { file, line });
    }
  }
}

/** The templates that one extends, the next first. Undefined if one of them is not known. */
export function layoutsBelow(name: string, templates: Templates): string[] | undefined {
  const below: string[] = [];
  for (let root = templates.get(name)?.root; root; ) {
    const base = extendedBy(root);
    if (!base) return below;
    if (base.name === undefined) return undefined;
    const next = resolvedName(below.at(-1) ?? name, base.name);
    if (below.includes(next)) return below;
    below.push(next);
    root = templates.get(next)?.root;
  }
  return undefined;
}

/** Names of the blocks of a template. */
export const blocksIn = (name: string, templates: Templates): string[] => {
  const root = templates.get(name)?.root;
  return root ? blocksOf(root).map(blockName) : [];
};
