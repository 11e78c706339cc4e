// Control characters, line separators, lone surrogates, and format characters (bidi marks, tags, zero
// widths) except the joiners that real names and scripts use. Without them, a service's text cannot
// control the terminal or imitate other text.
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u{e0000}-\u{e0fff}]|(?![\u200c\u200d])\p{Cf}/gu;

// Commands of CI systems in a log: `::name::` at the start of a line (GitHub), and
// `##[name]`, `##vso[…]`, `##teamcity[…]` anywhere in it.
const LOG_COMMAND = /^(\s*):(?=:)|#(?=[a-z]*\[)(?<=##)/gi;

const escaped = (c: string): string => `\\u{${c.codePointAt(0)?.toString(16)}}`;

/**
 * Text of unknown origin made safe for one line of a terminal or a CI log: control characters and
 * commands to the CI become `\u{hex}`.
 */
export const printable = (text: string): string =>
  text
    .replace(CONTROL, escaped)
    .replace(LOG_COMMAND, (command, space: string | undefined) =>
      space === undefined ? escaped(command) : `${space}${escaped(':')}`,
    );

/** The same for text of several lines. Keeps line breaks. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
