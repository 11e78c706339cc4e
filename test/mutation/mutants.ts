import { parseSync } from 'oxc-parser';
import { changesOf, type Node } from './operators.ts';

/** One change of a source file that a test should notice. */
export interface Mutant {
  id: number;
  /** Path of the file, from the root of the project. */
  file: string;
  line: number;
  /** The changed part and what takes its place, in short: names it in its file, without a line. */
  name: string;
}

/** Longest text of either part in a name. */
const LONGEST = 70;

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
};

/** Name of the function that says whether a mutant is the active one. */
export const IS_ACTIVE = '__isActiveMutant';

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Expressions that carry TypeScript's syntax around a value; all else of its syntax is no code. */
const TYPED_VALUES = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

/**
 * All mutants of a file in one text: every changed part asks {@link IS_ACTIVE} which of its forms
 * counts, so nothing is compiled again for a mutant.
 *
 * @param firstId of its mutants.
 */
export function withMutants(
  file: string,
  text: string,
  firstId: number,
): { mutants: Mutant[]; text: string } {
  const mutants: Mutant[] = [];
  const before = new Map<number, string[]>();
  const after = new Map<number, string[]>();
  const seen = new Map<string, number>();
  const add = (node: Node, to: string): number => {
    const change = `${short(text.slice(node.start, node.end))} → ${short(to)}`;
    const times = (seen.get(change) ?? 0) + 1;
    seen.set(change, times);
    const id = firstId + mutants.length;
    const line = text.slice(0, node.start).split('\n').length;
    mutants.push({ id, file, line, name: times > 1 ? `${change} (${times})` : change });
    return id;
  };
  const put = (start: number, opening: string, end: number, closing: string) => {
    before.set(start, [...(before.get(start) ?? []), opening]);
    after.set(end, [closing, ...(after.get(end) ?? [])]);
  };
  const visit = (node: Node, parents: readonly Node[]): void => {
    if (node.type.startsWith('TS') && !TYPED_VALUES.has(node.type)) return;
    const changes = changesOf(node, parents, text);
    if (changes === 'empty block') {
      const id = add(node, '{}');
      put(node.start + 1, ` if (!${IS_ACTIVE}(${id})) {`, node.end - 1, '} ');
    } else if (changes.length > 0) {
      const forms = changes.map((to) => `${IS_ACTIVE}(${add(node, to)}) ? (${to}) : `);
      put(node.start, `(${forms.join('')}(`, node.end, '))');
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === 'typeAnnotation' || key === 'typeArguments' || key === 'returnType') continue;
      for (const one of Array.isArray(value) ? value : [value]) {
        if (isNode(one)) visit(one, [node, ...parents]);
      }
    }
  };
  const { program, errors } = parseSync(file, text, { preserveParens: false });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  visit(program as unknown as Node, []);

  const places = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b);
  let [made, at] = ['', 0];
  for (const place of places) {
    made += text.slice(at, place);
    made += [...(after.get(place) ?? []), ...(before.get(place) ?? [])].join('');
    at = place;
  }
  return { mutants, text: made + text.slice(at) };
}
