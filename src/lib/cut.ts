/** Shortens a text to a number of UTF-16 code units with `…` at its end, without half of a character (such as an emoji). */
export const cut = (text: string, most = Number.POSITIVE_INFINITY): string =>
  text.length > most
    ? text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\s*\ufffd?$/, '…')
    : text;
