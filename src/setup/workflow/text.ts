import type { Project } from './project.ts';

/** What a project's workflow is made from. */
export interface Wanted {
  /** Names of the service's keys. */
  keys: readonly string[];
  /** An id of `hosts.ts`, or `none`. */
  host: string;
  /** Minute after three o'clock UTC at which the schedule starts it. */
  minute: number;
  project: Project;
}

export const indented = (spaces: number, lines: readonly string[]): string[] =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(spaces) + line));

/** Lines of a shell as the value of a YAML key: on the line of the key if it is one. */
export const block = (key: string, lines: readonly string[]): string[] =>
  lines.length === 1 ? [`${key}${lines[0]}`] : [`${key}|`, ...indented(2, lines)];
