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
