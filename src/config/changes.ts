import { OWN_VERSION } from '../lib/own-package.ts';

/**
 * A name that changed. Its row stays for ever: errors and notes use it to explain the former name, both
 * while that still works and afterwards.
 */
export interface Change {
  /**
   * `setting`: a path in the configuration (`dealers[]` is each of a list). `name`: what templates
   * read (`site.title`; `*.title` is the field of any value). `template`: a file of `templates/`.
   * `word`: a key of `words.json`.
   */
  kind: 'setting' | 'name' | 'template' | 'word';
  from: string;
  /** The new name; undefined where nothing has taken its place. */
  to?: string;
  /** The version with the new name. */
  since: string;
  /** The version that no longer knows the former name: a major one, at least one after `since`. */
  until: string;
  /** What else a person should know: a whole sentence. */
  note?: string;
}

/** Every name that changed, the newest first. */
export const CHANGES: readonly Change[] = [
  {
    kind: 'name',
    from: 'page_.snippet',
    since: '0.1.0',
    until: '0.1.0',
    note: 'The lines for other websites have a page of their own, /DEALER/embed/.',
  },
  { kind: 'name', from: 'site.policy', to: 'page_.policy', since: '0.1.0', until: '0.1.0' },
];

const partsOf = (version: string): number[] => version.split(/[.-]/, 3).map(Number);

/** Whether a former name still works in a version of this program. */
export function stillWorks({ until }: Change, version = OWN_VERSION): boolean {
  const [now, end] = [partsOf(version), partsOf(until)];
  const at = end.findIndex((part, index) => part !== now[index]);
  return at >= 0 && (now[at] ?? 0) < (end[at] ?? 0);
}

/** Names of our files that a theme may still use for others, and the present ones. */
export const FORMER_FILES: ReadonlyMap<string, string> = new Map(
  CHANGES.flatMap((change) =>
    change.kind === 'template' && change.to !== undefined && stillWorks(change)
      ? [[change.from, change.to] as const]
      : [],
  ),
);

/** What became of a former name, as half a sentence: `is now media.theme (since 1.4.0)`. */
export const became = ({ to, since, note }: Change): string =>
  `${to === undefined ? 'is gone' : `is now ${to}`} (since ${since})${note === undefined ? '' : `. ${note}`}`;

/** The change of one name, where it is in the table. */
export const changeOf = (
  kind: Change['kind'],
  from: string,
  changes: readonly Change[] = CHANGES,
): Change | undefined => changes.find((one) => one.kind === kind && one.from === from);
