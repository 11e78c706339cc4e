import { readFileSync } from 'node:fs';
import path from 'node:path';
import nunjucks from 'nunjucks';
import { userText } from '../../lib/files/read.ts';

/** A node of Nunjucks' syntax tree. Its types do not describe it. */
export interface Node {
  typename: string;
  /** From 0. */
  lineno: number;
  /** Names of the fields with other nodes or values, if it has no `children`. */
  fields: readonly string[];
  children?: readonly Node[];
  [field: string]: unknown;
}

const { parser } = nunjucks as unknown as {
  parser: { parse(source: string): Node };
};

/** Data for Eleventy at the start of a template. */
const FRONT_MATTER = /^---\w*[ \t]*\n.*?\n---(?=\n)/s;

/** The text of a file, without the line breaks and the byte order mark that editors on Windows write. */
export const plainText = (file: string): string =>
  userText(readFileSync(file), file).replaceAll('\r\n', '\n');

/** Number of lines of a template's front matter. Eleventy counts lines from its end. */
export const frontMatterLines = (file: string): number =>
  FRONT_MATTER.exec(plainText(file))?.[0].split('\n').length ?? 0;

/** Indentation, except in elements that may show it or treat it as text. */
const INDENTATION = /(<(pre|textarea|script|style)\b.*?<\/\2\s*>)|^[ \t]+/gims;

/**
 * The text of a template, with the lines of its file. Front matter, which Eleventy reads, becomes a comment.
 * Indentation helps people who edit a template. It is removed here once, not in each page.
 */
export const readTemplate = (file: string): string =>
  plainText(file)
    .replace(FRONT_MATTER, (data) => `{#-${'\n'.repeat(data.split('\n').length - 1)}-#}`)
    .replace(INDENTATION, '$1');

/** @throws {Error} with `lineno`, as Nunjucks throws for syntax errors. */
export const parseTemplate = (source: string): Node => parser.parse(source);

/** The tree of each file, for the next check while its theme is edited. */
const trees = new Map<string, { source: string; root: Node }>();

/** The tree of a template, parsed again only if its file changed. Do not modify it. */
export function readTree(file: string): Node {
  const source = readTemplate(file);
  const previous = trees.get(file);
  if (previous?.source === source) return previous.root;
  const root = parseTemplate(source);
  trees.set(file, { source, root });
  return root;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'typename' in value;

/** The nodes below a node. The content of `set … endset` is in `body`, which is not a field. */
const childrenOf = (node: Node): Node[] => {
  const values = node.children ?? [...node.fields.map((field) => node[field]), node.body].flat();
  return [...new Set(values)].filter(isNode);
};

/** All nodes of a tree. Each check of a theme needs them many times. */
const allNodes = new WeakMap<Node, readonly Node[]>();

/** A node and all nodes below it, in order. It leaves out nodes for which `skip` is true, with all below them. */
export function nodesOf(root: Node, skip?: (node: Node) => boolean): readonly Node[] {
  const cachedNodes = skip ? undefined : allNodes.get(root);
  if (cachedNodes) return cachedNodes;
  const nodes: Node[] = [];
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (skip?.(node)) continue;
    nodes.push(node);
    stack.push(...childrenOf(node).reverse());
  }
  if (!skip) allNodes.set(root, nodes);
  return nodes;
}

/** The full name of a template. A name that begins with a dot is relative to the template that contains it. */
export const resolvedName = (from: string, name: string): string =>
  name.startsWith('.') ? path.posix.join(path.posix.dirname(from), name) : name;

/** A tag that names another template. */
export interface Reference {
  kind: 'Extends' | 'Include' | 'Import' | 'FromImport';
  /** Full name of the other template. Undefined if it is computed. */
  name: string | undefined;
  /** From 1. */
  line: number;
  /** Whether it may be missing. */
  optional: boolean;
  /** Names of macros that are imported from it. */
  imported: readonly string[];
}

const importedNames = (node: Node): string[] =>
  ((node.names as Node | undefined)?.children ?? []).map((name) =>
    String(name.typename === 'Pair' ? (name.key as Node).value : name.value),
  );

/** The tags of a template that name other templates. It leaves out nodes for which `skip` is true. */
export function referencesOf(
  from: string,
  root: Node,
  skip?: (node: Node) => boolean,
): Reference[] {
  const tags = nodesOf(root, skip).filter(({ typename }) =>
    /^(?:Extends|Include|Import|FromImport)$/.test(typename),
  );
  return tags.map((tag) => {
    const { typename, value } = tag.template as Node;
    const isLiteral = typename === 'Literal' && typeof value === 'string';
    return {
      kind: tag.typename as Reference['kind'],
      name: isLiteral ? resolvedName(from, value) : undefined,
      line: tag.lineno + 1,
      optional: tag.ignoreMissing === true,
      imported: importedNames(tag),
    };
  });
}

export const blocksOf = (root: Node): Node[] =>
  nodesOf(root).filter(({ typename }) => typename === 'Block');

export const blockName = (block: Node): string => String((block.name as Node).value);

/** The first call of `super()` in a block. */
export const superIn = (block: Node): Node | undefined =>
  nodesOf(block).find(
    ({ typename, name }) => typename === 'FunCall' && (name as Node).value === 'super',
  );

/** Names that other templates can import from a template. */
export const exportsOf = (root: Node): string[] =>
  nodesOf(root).flatMap(({ typename, name, targets }) => {
    if (typename === 'Macro') return [String((name as Node).value)];
    return typename === 'Set' ? (targets as Node[]).map(({ value }) => String(value)) : [];
  });

/** Line of the first text outside of blocks and macros, from 1. Undefined if there is none. */
export function textOutsideBlocks(root: Node): number | undefined {
  const skip = ({ typename }: Node) => /^(?:Block|Macro|Caller|Set)$/.test(typename);
  for (const { typename, lineno, children = [] } of nodesOf(root, skip)) {
    if (typename === 'Include') return lineno + 1;
    for (const child of typename === 'Output' ? children : []) {
      if (child.typename !== 'TemplateData') return child.lineno + 1;
      // White space before the text belongs to it.
      const text = String(child.value).search(/\S/);
      if (text >= 0) return child.lineno + String(child.value).slice(0, text).split('\n').length;
    }
  }
  return undefined;
}
