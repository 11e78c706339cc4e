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

/** The part of Nunjucks' parser that a tag uses; it ships no types. */
export interface Parser {
  nextToken(): { value: string; lineno: number; colno: number };
  parseSignature(tolerant: boolean, noParens: boolean): Node;
  advanceAfterBlockEnd(name?: string): void;
  parseUntilBlocks(name: string): Node;
}

export type Nodes = Record<
  'Capture' | 'Filter' | 'NodeList' | 'Output' | 'Symbol',
  new (
    line: number,
    column: number,
    ...fields: unknown[]
  ) => Node
>;

/** A tag, as Nunjucks' parser takes it. */
export interface Tag {
  tags: string[];
  parse(parser: Parser, nodes: Nodes): Node;
}
