import { ConfigError } from '../errors.ts';

/** Encodings with a byte order mark. */
const MARKED = [
  { encoding: 'UTF-8', mark: [0xef, 0xbb, 0xbf] },
  { encoding: 'UTF-16LE', mark: [0xff, 0xfe] },
  { encoding: 'UTF-16BE', mark: [0xfe, 0xff] },
];

/** Encodings of Windows by language, if it is not Windows-1252. Excel writes CSV in them. */
const WINDOWS: Readonly<Record<string, readonly string[]>> = {
  'Windows-1250': ['cs', 'hr', 'hu', 'pl', 'ro', 'sk', 'sl'],
  'Windows-1253': ['el'],
  'Windows-1254': ['tr'],
  'Windows-1257': ['et', 'lt', 'lv'],
};

interface DecodedText {
  text: string;
  encoding: string;
}

function decode(bytes: Uint8Array, encoding: string): DecodedText | undefined {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    return undefined;
  }
}

/** UTF-8 in which a program cut texts within a character. In 8-bit text, hardly any character would be valid. */
function decodeDamaged(bytes: Uint8Array): DecodedText | undefined {
  const text = new TextDecoder().decode(bytes);
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  if (count(/\ufffd/g) >= count(/[^\p{ASCII}\ufffd]/gu)) return undefined;
  return { text: text.replaceAll('\ufffd', ''), encoding: 'UTF-8' };
}

/**
 * Whether 8-bit text is ISO-8859-15 and not Windows-1252. The encodings differ in few bytes. The text is ISO-8859-15 if
 * 0xA4 (euro) is next to digits or 0xA6 and 0xA8 (Š and š) next to letters, and it has no bytes that only Windows uses.
 */
function isLatin9(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  return (
    !/[\x80-\x9f]/.test(text) && /\d\s?\xa4|\xa4\s?\d|[\xa6\xa8][a-z]|[a-z][\xa6\xa8]/i.test(text)
  );
}

/** The encoding of 8-bit text that is not UTF-8. @param locale locale of the text, such as `pl-PL`. */
function encodingOf(bytes: Uint8Array, locale: string): string {
  const { language } = new Intl.Locale(locale);
  const encodings = Object.keys(WINDOWS);
  const encoding = encodings.find((encoding) => WINDOWS[encoding]?.includes(language));
  return encoding ?? (isLatin9(bytes) ? 'ISO-8859-15' : 'Windows-1252');
}

/**
 * Decodes a file of unknown encoding. Tries the encoding of its byte order mark, otherwise UTF-8, otherwise the 8-bit
 * encoding that programs write for the language of the locale.
 *
 * @throws {ConfigError} the file is not text, or not in the encoding of its byte order mark.
 */
export function decodeText(bytes: Uint8Array, name: string, locale = 'en'): DecodedText {
  const byteOrderMark = MARKED.find(({ mark }) =>
    mark.every((byte, index) => bytes[index] === byte),
  );
  const decodedText =
    decode(bytes, byteOrderMark?.encoding ?? 'UTF-8') ??
    decodeDamaged(bytes) ??
    (byteOrderMark ? undefined : decode(bytes, encodingOf(bytes, locale)));
  if (decodedText && !decodedText.text.includes('\0')) return decodedText;
  throw new ConfigError({
    code: 'stock-file-encoding',
    what: `The file ${name} is not readable text.`,
    why: decodedText
      ? 'It contains zero bytes. It may be a spreadsheet, a compressed file, or UTF-16 without a byte order mark.'
      : `It starts as ${byteOrderMark?.encoding}, but contains other bytes.`,
    fix: 'Export it again as CSV in UTF-8.',
  });
}
