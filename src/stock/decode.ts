import { ConfigError } from '../errors.ts';

/** Encodings with a byte order mark. */
const MARKED = [
  { encoding: 'UTF-8', mark: [0xef, 0xbb, 0xbf] },
  { encoding: 'UTF-16LE', mark: [0xff, 0xfe] },
  { encoding: 'UTF-16BE', mark: [0xfe, 0xff] },
] as const;

export interface DecodedText {
  text: string;
  encoding: 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'ISO-8859-15' | 'Windows-1252';
}

function decode(bytes: Uint8Array, encoding: DecodedText['encoding']): DecodedText | undefined {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    return undefined;
  }
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

/**
 * Decodes a file of unknown encoding. Tries the encoding of its byte order mark, otherwise UTF-8, otherwise ISO-8859-15
 * or Windows-1252, which programs in western Europe and America write.
 *
 * @throws {ConfigError} the file is not text, or not in the encoding of its byte order mark.
 */
export function decodeText(bytes: Uint8Array, name: string): DecodedText {
  const byteOrderMark = MARKED.find(({ mark }) =>
    mark.every((byte, index) => bytes[index] === byte),
  );
  const decodedText = byteOrderMark
    ? decode(bytes, byteOrderMark.encoding)
    : (decode(bytes, 'UTF-8') ?? decode(bytes, isLatin9(bytes) ? 'ISO-8859-15' : 'Windows-1252'));
  if (decodedText && !decodedText.text.includes('\0')) return decodedText;
  throw new ConfigError({
    code: 'stock-file-encoding',
    what: `The stock list ${name} is not readable text.`,
    why: decodedText
      ? 'It contains zero bytes. It may be a spreadsheet, or UTF-16 without a byte order mark.'
      : `It starts as ${byteOrderMark?.encoding}, but contains other bytes.`,
    fix: 'Export it again as CSV in UTF-8.',
  });
}
