import { became, CHANGES, type Change, stillWorks } from './changes.ts';

/** A former name of a setting that a configuration uses. */
export interface FormerSetting {
  change: Change;
  /** Where it stands, such as `dealers[1].colour`. */
  path: string;
  /** Where its value belongs, such as `dealers[1].brand.colour`; undefined where nothing replaced the setting. */
  newPath: string | undefined;
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The path of a setting in parts: names, and numbers of entries; `[]` is each entry of a list. */
export const pathParts = (path: string): (string | number)[] =>
  [...path.matchAll(/\[(\d*)\]|[^.[\]]+/g)].map(([part, index]) =>
    index === undefined ? part : index === '' ? '[]' : Number(index),
  );

export const pathText = (parts: readonly (string | number)[]): string =>
  parts.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : `${text}${text && '.'}${part}`,
    '',
  );

/** All paths in a value that match a path with `[]`, with the numbers of entries filled in. */
function placesOf(value: unknown, path: readonly (string | number)[]): (string | number)[][] {
  const [first, ...rest] = path;
  if (first === undefined) return [[]];
  if (first === '[]') {
    return (Array.isArray(value) ? value : []).flatMap((entry: unknown, index) =>
      placesOf(entry, rest).map((place) => [index, ...place]),
    );
  }
  if (!isFields(value) || !Object.hasOwn(value, first) || value[first] === undefined) return [];
  return placesOf(value[first], rest).map((place) => [first, ...place]);
}

/** A path whose `[]` are replaced by the numbers of another path. */
function numbered(path: string, place: readonly (string | number)[]): string {
  const numbers = place.filter((part) => typeof part === 'number');
  return pathText(pathParts(path).map((part) => (part === '[]' ? (numbers.shift() ?? 0) : part)));
}

/** The former names of settings that a configuration, as written, uses. */
export function formerSettings(
  raw: unknown,
  changes: readonly Change[] = CHANGES,
): FormerSetting[] {
  return changes
    .filter(({ kind }) => kind === 'setting')
    .flatMap((change) =>
      placesOf(raw, pathParts(change.from)).map((place) => ({
        change,
        path: pathText(place),
        newPath: change.to === undefined ? undefined : numbered(change.to, place),
      })),
    );
}

/** A copy of a value with the entry at a path replaced; undefined removes it. */
function withValue(value: unknown, [first, ...rest]: (string | number)[], put: unknown): unknown {
  if (first === undefined) return put;
  if (Array.isArray(value)) {
    return value.map((entry: unknown, index) =>
      index === first ? withValue(entry, rest, put) : entry,
    );
  }
  // Anything but an object stays as it is; the schema reports it.
  if (!isFields(value) && value !== undefined) return value;
  const { [first]: inner, ...others } = value ?? {};
  const next = withValue(inner, rest, put);
  return next === undefined ? others : { ...others, [first]: next };
}

export const valueAt = (value: unknown, path: string): unknown =>
  pathParts(path).reduce<unknown>(
    (found, part) => (found as Record<string | number, unknown> | undefined)?.[part],
    value,
  );

/**
 * A configuration with former names of settings replaced by the present ones. A former name is replaced
 * if it still works and the present one is not set; else it stays, and the schema refuses it.
 *
 * @param isAccepted which former names are replaced; by default those that still work.
 */
export function withNewNames(
  raw: unknown,
  {
    changes = CHANGES,
    isAccepted = stillWorks,
  }: { changes?: readonly Change[]; isAccepted?: (change: Change) => boolean } = {},
): { value: unknown; taken: FormerSetting[] } {
  let value = raw;
  const taken: FormerSetting[] = [];
  for (const former of formerSettings(raw, changes)) {
    const { change, path, newPath } = former;
    if (!isAccepted(change)) continue;
    if (newPath !== undefined && valueAt(value, newPath) !== undefined) continue;
    const said = valueAt(value, path);
    value = withValue(value, pathParts(path), undefined);
    if (newPath !== undefined) value = withValue(value, pathParts(newPath), said);
    taken.push(former);
  }
  return { value, taken };
}

/** Note of a build about a former name that still works. */
export const formerSettingText = ({ path, change }: FormerSetting): string =>
  `${path} ${became(change)}; the former name works until ${change.until}. Run: npm run upgrade -- --write`;
