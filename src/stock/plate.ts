/** Normalises a number plate: `ab12 cde` and `AB12-CDE` become `AB12CDE`. Empty if the text has no letters or digits. */
export const comparablePlate = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Key of a plate in maps. A single separator between letters stays as a hyphen, because `M-AB 123` and `MA-B 123` are
 * two German plates.
 */
export function plateKey(text: string): string {
  const parts = text.normalize('NFKC').split(/(?<=\p{L})[^\p{L}\p{N}]+(?=\p{L})/u);
  return parts.map(comparablePlate).join(parts.length === 2 ? '-' : '');
}

/**
 * The key of a map that means a plate, by `plateKey`. `MAB123` means `M-AB 123`, unless the map also has `MA-B 123`.
 * `templates/assets/find.js` uses it in the browser.
 */
export function keyAt(map: { has(key: string): boolean }, plate: string): string | undefined {
  const key = plateKey(plate);
  if (map.has(key)) return key;
  const plain = comparablePlate(plate);
  if (plain !== key) return map.has(plain) ? plain : undefined;
  const [only, other] = Array.from(
    plain.matchAll(/(?<=\p{L})(?=\p{L})/gu),
    ({ index }) => `${plain.slice(0, index)}-${plain.slice(index)}`,
  ).filter((written) => map.has(written));
  return other === undefined ? only : undefined;
}

/** The value of a plate in a map by `plateKey`. */
export const atPlate = <T>(map: ReadonlyMap<string, T>, plate: string): T | undefined =>
  map.get(keyAt(map, plate) ?? '');
