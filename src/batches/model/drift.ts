import type { BatchRecord } from '../../contract/batch.ts';
import type { Quarantined } from '../../contract/parse.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { FIELDS, isContractField } from './fields.ts';

/** A finding. `detail` contains counts and types, never a value of the response. */
export interface DriftFinding {
  /** Stable: scripts may match on it. docs/batches.md lists all. */
  code: string;
  field: string | null;
  detail: string;
}

export type TypesByField = ReadonlyMap<string, ReadonlySet<string>>;

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (Number.isInteger(value)) return 'integer';
  return typeof value;
};

/** A field's name comes from the service: an unusual one could contain anything, such as a telephone number. */
export const plainName = (name: string): string =>
  /^(?!.*\d{7})[\w.$-]{1,64}$/.test(name) ? name : '(a name that is not plain)';

/** The types of each field. A field that is missing in a record adds nothing. */
export function typesIn(records: readonly BatchRecord[]): Map<string, Set<string>> {
  const types = new Map<string, Set<string>>();
  for (const record of records) {
    for (const key in record) {
      let knownTypes = types.get(key);
      if (!knownTypes) {
        const name = plainName(key);
        knownTypes = types.get(name) ?? new Set();
        types.set(name, knownTypes);
      }
      knownTypes.add(typeOf(record[key]));
    }
  }
  return types;
}

const TYPED = new Set<string>(
  FIELDS.filter(({ kind }) => kind !== 'json').map(({ name }) => name),
).add('BatchId');

/**
 * Fields and types that are new, and contract fields that no record has any more. The first pull reports no types:
 * all of them are new.
 */
export function fieldDrift(now: TypesByField, before: TypesByField): DriftFinding[] {
  const findings: DriftFinding[] = [];
  for (const [name, types] of now) {
    const knownTypes = before.get(name);
    if (!knownTypes && !isContractField(name)) {
      const detail = `a field that the interface does not list, of type ${[...types].sort().join(', ')}`;
      findings.push({ code: 'field-new', field: name, detail });
      continue;
    }
    if (TYPED.has(name)) continue;
    for (const type of types) {
      if (type === 'null' || before.size === 0 || knownTypes?.has(type)) continue;
      const otherTypes = [...(knownTypes ?? [])].filter((other) => other !== 'null').sort();
      const detail = otherTypes.length > 0 ? `${type}, formerly ${otherTypes.join(', ')}` : type;
      findings.push({ code: 'type-first', field: name, detail });
    }
  }
  for (const name of before.keys()) {
    if (now.size === 0 || now.has(name)) continue;
    const detail = 'no record of the response has this field';
    findings.push({ code: 'field-gone', field: name, detail });
  }
  return findings;
}

interface AnswerFacts {
  received: number;
  duplicates: number;
  /** Batches of the last pull that this window should contain. `absent`: how many of them are missing. */
  expected: number;
  absent: number;
  daysAsked: number;
  /** Number of days for which the response is complete. Undefined if it proves nothing. */
  daysReached: number | undefined;
}

/** With fewer expected batches, a small share proves nothing. */
const FEWEST_FOR_SHARE = 20;
const SMALL_SHARE = 0.5;

const isRound = (count: number): boolean =>
  count >= 100 && (count % 100 === 0 || (count & (count - 1)) === 0);

/** Findings about a whole response. */
export function answerDrift(facts: AnswerFacts): DriftFinding[] {
  const findings: DriftFinding[] = [];
  const notify = (code: string, detail: string) => findings.push({ code, field: null, detail });
  const { received, expected, absent, daysAsked, daysReached, duplicates } = facts;
  const batches = countText(received, 'batch', 'batches');
  if (received === 0 && expected > 0) {
    notify('answer-empty', `no batch, though ${expected} known ones should be in the window`);
  } else if (expected >= FEWEST_FOR_SHARE && received < expected * SMALL_SHARE) {
    notify('answer-small', `${batches}, though at least ${expected} known ones were expected`);
  } else if (absent > 0) {
    notify('absent-in-window', `${absent} of ${expected} known batches of the window are missing`);
  }
  if (isRound(received)) notify('answer-round', `exactly ${batches}: perhaps cut off`);
  if (daysReached !== undefined && daysReached < daysAsked - 1) {
    const days = countText(daysAsked, 'day');
    notify('window-shrunk', `${days} requested, ${daysReached.toFixed(1)} received`);
  }
  if (duplicates > 0) {
    const records = countText(duplicates, 'record shares its', 'records share their');
    notify('duplicate-batch', `${records} BatchId with another`);
  }
  return findings;
}

/** The field that broke the contract, or `record` if the record is not an object. */
export const brokenField = ({ path }: Quarantined): string => path.split('.')[1] ?? 'record';

/** Records that broke the contract, counted by kind and field. */
export function quarantineDrift(quarantined: readonly Quarantined[]): DriftFinding[] {
  const kinds = Map.groupBy(quarantined, (broken) => `${broken.code} ${brokenField(broken)}`);
  return [...kinds].map(([kind, { length }]) => {
    const [code, field = null] = kind.split(' ');
    return { code: 'quarantined', field, detail: `${countText(length, 'record')}: ${code}` };
  });
}
