/**
 * Normalises a number plate for comparison: `ab12 cde`, `AB12-CDE` and `AB12CDE` are the same plate. Empty if the text
 * has no letters or digits. `templates/assets/find.js` does the same in the browser.
 */
export function comparablePlate(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
