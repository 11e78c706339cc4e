import { place } from './place.ts';
import { exportedBy, type Node, nodesOf, referencesOf, resolvedName } from './syntax.ts';

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

/** All templates of a site, as they were read. */
export interface Templates {
  /** Absolute file of each, by name. */
  templates: ReadonlyMap<string, string>;
  trees: ReadonlyMap<string, Node>;
  /** Whether a file is the theme's. */
  isTheirs: (file: string) => boolean;
}

/**
 * Looks for all that templates name, also where no page leads: filters, tests, and other templates.
 *
 * @throws {Error} what Nunjucks would throw of a page, noted with file and line.
 */
export function checkNames({ templates, trees }: Templates, finder: Finder): void {
  for (const [name, root] of trees) {
    const file = templates.get(name) ?? name;
    for (const node of nodesOf(root)) {
      try {
        find(node, finder);
      } catch (error) {
        throw place(error, { file, line: node.lineno + 1 });
      }
    }
    for (const { name: wanted, line, optional } of referencesOf(root)) {
      if (wanted === undefined || optional || trees.has(resolvedName(name, wanted))) continue;
      throw place(new Error(`template not found: ${wanted}`), { file, line });
    }
  }
}

/**
 * Looks for the macros that templates import.
 *
 * @throws {Error} noted with the template that wants one; where it is ours, with the theme's that lies in
 *   the place of ours and does not have it.
 */
export function checkImports({ templates, trees, isTheirs }: Templates): void {
  for (const [name, root] of trees) {
    const file = templates.get(name) ?? name;
    for (const { name: wanted = '', line, imported } of referencesOf(root)) {
      const other = resolvedName(name, wanted);
      const tree = trees.get(other);
      const exported = tree && imported.length > 0 ? exportedBy(tree) : new Set(imported);
      const missing = imported.find((one) => !exported.has(one));
      if (missing === undefined) continue;
      const error = new Error(`cannot import '${missing}': ${wanted} has no such macro`);
      const provider = templates.get(other) ?? other;
      throw isTheirs(provider) && !isTheirs(file)
        ? place(error, { file: provider, line: undefined, usedIn: [{ file, line }] })
        : place(error, { file, line });
    }
  }
}
