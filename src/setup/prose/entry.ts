export type Severity = 'error' | 'warning' | 'info';

export interface FindingText {
  what: string;
  why: string;
  fix: string;
}

export interface Entry<A> {
  severity: Severity;
  /** What the code means, for docs/doctor.md. */
  meaning: string;
  describe: (args: A) => FindingText;
}

export const entry = <A>(
  severity: Severity,
  meaning: string,
  describe: (args: A) => FindingText,
): Entry<A> => ({
  severity,
  meaning,
  describe,
});

/** A problem that an error of ours already tells in full. */
export type Problem = { problem: string; what: string; why?: string; fix?: string };

export const passedOn = ({ what, why, fix }: Problem): FindingText => ({
  what,
  why: why ?? 'Nothing more is known.',
  fix: fix ?? 'See docs/operations.md.',
});

export const NOTHING = 'Nothing needs to be done.';
export const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .slice(0, 10)
    .map(([name, count]) => `${name} (${count})`)
    .join(', ');
