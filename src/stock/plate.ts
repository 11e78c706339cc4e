/**
 * A registration mark in the form in which marks are compared: people type and export `ab12 cde`, `AB12-CDE` or `AB12CDE`
 * for the same vehicle. Empty if the text has no letter or digit. `templates/assets/find.js` does
 * the same in the browser.
 */
export function comparablePlate(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
