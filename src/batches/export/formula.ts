import { type Cell, type Column, jsonText, type Target } from './format.ts';

/** Characters that a spreadsheet may skip before a formula: white space, controls, zero width. */
const SKIPPED = String.raw`[\s\p{Cc}\p{Cf}\p{Zs}]*`;
/** First characters of a formula, in ordinary and full-width form. */
const STARTS = '[=+\\-@\uff1d\uff0b\uff0d\uff20]';

const LEADING = new RegExp(`^${SKIPPED}${STARTS}|^[\\t\\r\\n]`, 'u');

/**
 * Programs with another separator split a cell inside a text, and the next cell could be a formula. For example,
 * spreadsheets in countries with decimal commas split at semicolons. It is enough to find the last of several
 * separators, and then the search never reads a text twice.
 */
const AFTER_SEPARATOR = new RegExp(
  String.raw`([;\|\t\r\n])(?=[[\s\p{Cc}\p{Cf}\p{Zs}]--[\t\r\n]]*${STARTS})`,
  'gv',
);

/**
 * Prevents spreadsheets from turning a text into a formula: puts an apostrophe before each possible start of a
 * formula. Other texts stay unchanged.
 *
 * @param reserved texts that the target interprets as a command. They also get an apostrophe.
 */
export function neutralise(text: string, reserved?: RegExp): string {
  const escaped = text.replace(AFTER_SEPARATOR, "$1'");
  return LEADING.test(escaped) || reserved?.test(escaped) ? `'${escaped}` : escaped;
}

const PHONE = /^\+(?=\D*\d)[\d\s()./\u00a0\u2010-\u2015-]*$/u;

/** A value that is neither a time nor a number, as a text that no spreadsheet runs. */
export const safeText = (value: Cell, { kind }: Column, { reserved }: Target): string =>
  kind === 'phone'
    ? neutralisePhone(String(value), reserved)
    : neutralise(jsonText(value), reserved);

/**
 * A telephone number for a spreadsheet or a CRM. `+447…`, with or without spaces, stays unchanged. Other characters
 * between the digits are removed, because they could form a calculation (`+44-7700-900123` is a subtraction). Texts
 * that are not international numbers are neutralised like other texts.
 */
export function neutralisePhone(text: string, reserved?: RegExp): string {
  if (/^\+\d[\d ]*$/.test(text)) return text;
  if (!PHONE.test(text)) return neutralise(text, reserved);
  return `+${text.replace(/\(0\)/g, '').replace(/\D/g, '')}`;
}
