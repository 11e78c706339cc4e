/** Characters that a spreadsheet may skip before a formula: white space, controls, zero width. */
const SKIPPED = String.raw`[\s\p{Cc}\p{Cf}\p{Zs}]*`;
/** First characters of a formula, in ordinary and full-width form. */
const STARTS = '[=+\\-@\uff1d\uff0b\uff0d\uff20]';

const LEADING = new RegExp(`^${SKIPPED}${STARTS}|^[\\t\\r\\n]`, 'u');

/**
 * A program with another separator (a spreadsheet in a country with decimal
 * commas splits at semicolons) ends a cell inside a text, and the next one could be a formula.
 */
const SEPARATOR = /[;|\t\r\n]/;
const AFTER_SEPARATOR = new RegExp(`([;|\\t\\r\\n])(?=${SKIPPED}${STARTS})`, 'gu');

/**
 * A text that no spreadsheet turns into a formula: an apostrophe goes before any possible beginning of
 * one. Text without such a beginning stays unchanged.
 *
 * @param reserved texts that the target reads as a command. They get an apostrophe too.
 */
export function neutralise(text: string, reserved?: RegExp): string {
  const escaped = SEPARATOR.test(text) ? text.replace(AFTER_SEPARATOR, "$1'") : text;
  return LEADING.test(escaped) || reserved?.test(escaped) ? `'${escaped}` : escaped;
}

const PHONE = /^\+[\d\s()./\u00a0\u2010-\u2015-]*\d[\d\s()./\u00a0\u2010-\u2015-]*$/u;

/**
 * A telephone number for a spreadsheet or a CRM. `+447…`, with or without spaces, stays as it is.
 * Other marks between the digits would make it arithmetic (`+44-7700-900123` is a subtraction), so
 * they go and the number stays the same number. Other texts are treated as any text.
 */
export function neutralisePhone(text: string): string {
  if (/^\+\d[\d ]*$/.test(text)) return text;
  if (!PHONE.test(text)) return neutralise(text);
  return `+${text.replace(/\(0\)/g, '').replace(/\D/g, '')}`;
}
