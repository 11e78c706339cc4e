/** Shortens a text to a number of UTF-16 code units, without half of a character (such as an emoji) at its end. */
export const cut = (text: string, most = Number.POSITIVE_INFINITY): string =>
  text.length > most
    ? text
        .slice(0, most)
        .toWellFormed()
        .replace(/\ufffd$/, '')
        .trim()
    : text;
