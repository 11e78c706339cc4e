import { escapeHtml } from './html.ts';

// Characters that XML 1.0 forbids, even escaped.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Text of unknown origin without the characters that XML forbids. */
export function xmlSafe(text: string): string {
  return text.toWellFormed().replace(NOT_XML, '');
}

/** The same, escaped for an element or a quoted attribute. */
export function xmlText(text: string): string {
  return escapeHtml(xmlSafe(text));
}
