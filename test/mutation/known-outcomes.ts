import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Outcome, type Recall, ROOT } from './run.ts';

const FILE = path.join(ROOT, 'node_modules/.cache/mutation/outcomes.json');

/** By file of the mutant, its name, and what they were: the outcome. */
type Known = Record<
  string,
  { text: string; outcomes: Record<string, { by?: string; of: string }> }
>;

/** By file, as it was when it was looked at first: before anything is tried. */
const hashes = new Map<string, string>();

function hashOf(file: string): string {
  const known =
    hashes.get(file) ??
    hash('sha256', readFileSync(path.join(ROOT, file)), 'base64url').slice(0, 16);
  hashes.set(file, known);
  return known;
}

const read = (): Known => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {});

const stateOf = (testFiles: readonly string[]): string =>
  [...testFiles]
    .sort()
    .map((file) => `${file} ${hashOf(file)}`)
    .join(', ');

/** Outcomes of earlier runs, as long as neither the file nor the tests that decided them changed. */
export function knownOutcomes({ all }: { all: boolean }): Recall {
  const known = all ? {} : read();
  return ({ file, name }, reachedBy) => {
    const own = known[file];
    const state = stateOf(reachedBy);
    const text = hashOf(file);
    const outcome = own?.text === text ? own.outcomes[name] : undefined;
    if (!outcome) return undefined;
    const { by } = outcome;
    if (by === undefined) return outcome.of === state ? {} : undefined;
    return reachedBy.includes(by) && outcome.of === stateOf([by]) ? { killedBy: by } : undefined;
  };
}

export function keepOutcomes(outcomes: readonly Outcome[]): void {
  const known = read();
  for (const { file } of new Set(outcomes.map(({ mutant }) => mutant))) {
    known[file] = { text: hashOf(file), outcomes: {} };
  }
  for (const { mutant, killedBy, reachedBy } of outcomes) {
    const of = stateOf(killedBy === undefined ? reachedBy : [killedBy]);
    const own = known[mutant.file];
    if (own) own.outcomes[mutant.name] = { ...(killedBy !== undefined && { by: killedBy }), of };
  }
  mkdirSync(path.dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(known));
}
