import { z } from 'zod';

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const FORM = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/;

/** Milliseconds of a length of time such as `26h`; undefined if it has another form. */
export function millisecondsOf(text: string): number | undefined {
  const [, amount, unit] = FORM.exec(text) ?? [];
  return unit === undefined
    ? undefined
    : Math.round(Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]);
}

/** A length of time as people write it (`"72h"`, `"14d"`, `"30s"`), read as milliseconds. */
export const duration = (byDefault: `${number}${keyof typeof UNIT_MS}`) =>
  z
    .string()
    .regex(FORM, 'must be a number with a unit: ms, s, m, h or d, such as "72h"')
    .default(byDefault)
    .transform((text): number => millisecondsOf(text) ?? 0);
