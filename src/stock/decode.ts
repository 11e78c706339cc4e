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
 * Whether 8-bit text is in ISO-8859-15 and not in Windows-1252, which differ in few bytes: a euro (0xA4) is
 * beside digits, or Š and š (0xA6, 0xA8) beside letters, and no byte is used only by Windows.
 */
function isLatin9(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  return (
    !/[\x80-\x9f]/.test(text) && /\d\s?\xa4|\xa4\s?\d|[\xa6\xa8][a-z]|[a-z][\xa6\xa8]/i.test(text)
  );
}

/**
 * The text of a file of unknown encoding: the encoding of its byte order mark, otherwise UTF-8, otherwise
 * ISO-8859-15 or Windows-1252, which programs write in western Europe and America.
 *
 * @throws {ConfigError} the file is not text, or not in the encoding of its mark.
 */
export function decodeText(bytes: Uint8Array, name: string): DecodedText {
  const marked = MARKED.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte));
  const decoded = marked
    ? decode(bytes, marked.encoding)
    : (decode(bytes, 'UTF-8') ?? decode(bytes, isLatin9(bytes) ? 'ISO-8859-15' : 'Windows-1252'));
  if (decoded && !decoded.text.includes('\0')) return decoded;
  throw new ConfigError({
    code: 'stock-file-encoding',
    what: `The stock list ${name} is not readable text.`,
    why: decoded
      ? 'It contains zero bytes. It may be a spreadsheet, or UTF-16 without a byte order mark.'
      : `It begins as ${marked?.encoding}, but contains other bytes.`,
    fix: 'Export it again as CSV in UTF-8.',
  });
}
