import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from './run.ts';

/** Mutants that no test notices, by file and name, with the reason; `open`: nobody has looked yet. */
export type Survivors = Record<string, Record<string, string>>;

export const OPEN = 'open';

export const SURVIVORS = path.join(import.meta.dirname, 'survivors.json');

export const readSurvivors = (): Survivors => JSON.parse(readFileSync(SURVIVORS, 'utf8'));

/** A target's share of killed mutants, and how the others stand to the list. */
export interface Score {
  target: string;
  mutants: number;
  killed: number;
  explained: number;
  open: number;
}

/** What differs between a run and the list of survivors, and the scores. */
export function compare(
  outcomes: readonly Outcome[],
  known: Survivors,
  targets: readonly string[],
): { scores: Score[]; added: Outcome[]; gone: string[] } {
  const reasonOf = ({ mutant }: Outcome): string | undefined => known[mutant.file]?.[mutant.name];
  const scores = targets.map((target): Score => {
    const own = outcomes.filter(
      ({ mutant }) => mutant.file === target || mutant.file.startsWith(`${target}/`),
    );
    const alive = own.filter(({ killedBy }) => killedBy === undefined);
    const open = alive.filter((one) => (reasonOf(one) ?? OPEN) === OPEN).length;
    return {
      target,
      mutants: own.length,
      killed: own.length - alive.length,
      explained: alive.length - open,
      open,
    };
  });
  const alive = outcomes.filter(({ killedBy }) => killedBy === undefined);
  const names = new Set(alive.map(({ mutant }) => `${mutant.file}: ${mutant.name}`));
  const files = new Set(outcomes.map(({ mutant }) => mutant.file));
  return {
    scores,
    added: alive.filter((one) => reasonOf(one) === undefined),
    gone: Object.entries(known)
      .filter(([file]) => files.has(file) || !outcomes.length)
      .flatMap(([file, list]) => Object.keys(list).map((name) => `${file}: ${name}`))
      .filter((name) => !names.has(name)),
  };
}

/** The list with what survived now: reasons stay, what is new is open, what is gone goes. */
export function updated(outcomes: readonly Outcome[], known: Survivors): Survivors {
  const files = new Set(outcomes.map(({ mutant }) => mutant.file));
  const made: Survivors = Object.fromEntries(
    Object.entries(known).filter(([file]) => !files.has(file)),
  );
  for (const { mutant, killedBy } of outcomes) {
    if (killedBy !== undefined) continue;
    made[mutant.file] = {
      ...made[mutant.file],
      [mutant.name]: known[mutant.file]?.[mutant.name] ?? OPEN,
    };
  }
  return Object.fromEntries(Object.entries(made).sort(([a], [b]) => (a < b ? -1 : 1)));
}
