/** RFC 4180, section 2: quotes around text with a separator, a quote or a line end. */
export const quoted = (text: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
