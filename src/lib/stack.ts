import { fileURLToPath } from 'node:url';

/** A file with a line in a stack, or at its beginning after a syntax error. */
const FRAME =
  /(?:\(|at |^)(file:\/\/[^\s()]+?|\/.+?|[A-Z]:\\.+?)(?:\?[^:\s]*)?:(\d+)(?::\d+\)?)?$/gm;

/** The places in the stack of an error: absolute files and lines from 1. */
export const placesOf = ({ stack = '' }: Error): { file: string; line: number }[] =>
  [...stack.matchAll(FRAME)].map(([, name = '', line]) => ({
    file: name.startsWith('file:') ? fileURLToPath(name) : name,
    line: Number(line),
  }));
