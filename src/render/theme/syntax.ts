import { readFileSync } from 'node:fs';
import path from 'node:path';
import nunjucks from 'nunjucks';

/** A node of Nunjucks' syntax tree; its types do not describe it. */
export interface Node {
  typename: string;
  /** From 0. */
  lineno: number;
  /** Names of the fields that hold other nodes or values, where it has no `children`. */
  fields: readonly string[];
  children?: readonly Node[];
  [field: string]: unknown;
}

const { parser } = nunjucks as unknown as {
  parser: { parse(source: string): Node };
};

/** Data for Eleventy at the start of a template. */
const FRONT_MATTER = /^---(?:js)?\n.*?\n---(?=\n)/s;

/** Indentation, but for elements in which it may be shown or belong to a text. */
const INDENTATION = /(<(pre|textarea|script|style)\b.*?<\/\2\s*>)|^[ \t]+/gims;

/**
 * The text of a template, with the lines of its file. Front matter, which Eleventy reads, becomes a comment.
 * Indentation is for those who edit a template: it is removed here, once, and not from each page.
 */
export const readTemplate = (file: string): string =>
  readFileSync(file, 'utf8')
    .replace(FRONT_MATTER, (data) => `{#-${'\n'.repeat(data.split('\n').length - 1)}-#}`)
    .replace(INDENTATION, '$1');

/** @throws {Error} with `lineno`, as Nunjucks throws for syntax errors. */
export const parseTemplate = (source: string): Node => parser.parse(source);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'typename' in value;

/** A node and all below it, in order. Of those for which `skip` holds neither they nor what is in them. */
export function* nodesOf(node: Node, skip: (node: Node) => boolean = () => false): Iterable<Node> {
  if (skip(node)) return;
  yield node;
  // What stands between `set` and `endset` is no field.
  const below = node.children ?? [...node.fields.map((field) => node[field]), node.body].flat();
  for (const child of new Set(below)) if (isNode(child)) yield* nodesOf(child, skip);
}

/** The template that is meant by a name: one that begins with a dot counts from the one it stands in. */
export const resolvedName = (from: string, name: string): string =>
  name.startsWith('.') ? path.posix.join(path.posix.dirname(from), name) : name;

/** Tags that name another template. */
const NAMING = /^(?:Extends|Include|Import|FromImport)$/;

/** A place where a template names another. */
export interface Reference {
  /** `Include` and `Extends` show what the other holds, imports only take its macros. */
  kind: 'Extends' | 'Include' | 'Import' | 'FromImport';
  /** Undefined where it is not written but made. */
  name: string | undefined;
  /** From 1. */
  line: number;
  /** Whether it may be missing. */
  optional: boolean;
  /** Names that are imported from it. */
  imported: readonly string[];
}

const literal = (node: Node): string | undefined =>
  node.typename === 'Literal' && typeof node.value === 'string' ? node.value : undefined;

/** Names that a `from … import` takes from another template. */
export const importedNames = (node: Node): string[] =>
  ((node.names as Node | undefined)?.children ?? []).map((one) =>
    String(one.typename === 'Pair' ? (one.key as Node).value : one.value),
  );

/** Which other templates a template names; `skip` as for `nodesOf`. */
export function* referencesOf(root: Node, skip?: (node: Node) => boolean): Iterable<Reference> {
  for (const node of nodesOf(root, skip)) {
    if (!NAMING.test(node.typename)) continue;
    yield {
      kind: node.typename as Reference['kind'],
      name: literal(node.template as Node),
      line: node.lineno + 1,
      optional: node.ignoreMissing === true,
      imported: importedNames(node),
    };
  }
}

/** The tag by which a template extends another. */
export const extendedBy = (root: Node): Reference | undefined =>
  [...referencesOf(root)].find(({ kind }) => kind === 'Extends');

export const blocksOf = (root: Node): Node[] =>
  [...nodesOf(root)].filter(({ typename }) => typename === 'Block');

export const blockName = (block: Node): string => String((block.name as Node).value);

/** Names that a template may give to those that import from it. */
export function exportedBy(root: Node): Set<string> {
  const names = new Set<string>();
  for (const node of nodesOf(root)) {
    if (node.typename === 'Macro') names.add(String((node.name as Node).value));
    if (node.typename !== 'Set') continue;
    for (const { value } of node.targets as Node[]) names.add(String(value));
  }
  return names;
}

const isText = (node: Node): boolean =>
  node.typename === 'TemplateData'
    ? String(node.value).trim() !== ''
    : node.typename !== 'Output' && node.typename !== 'NodeList';

/** Line of the first text outside of the tags in `within`, from 1. Undefined where there is none. */
export function textOutside(root: Node, within: RegExp): number | undefined {
  const skip = ({ typename }: Node) => within.test(typename) || typename === 'Set';
  for (const node of nodesOf(root, skip)) {
    if (node.typename === 'Include') return node.lineno + 1;
    if (node.typename !== 'Output') continue;
    for (const child of node.children ?? []) {
      if (skip(child) || !isText(child)) continue;
      // White space before the text belongs to it.
      const blank = /^\s*/.exec(String(child.value))?.[0] ?? '';
      const before = child.typename === 'TemplateData' ? blank.split('\n').length - 1 : 0;
      return child.lineno + 1 + before;
    }
  }
  return undefined;
}
