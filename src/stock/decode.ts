import { ConfigError } from '../errors.ts';

/** Encodings with a byte order mark. */
const MARKED = [
  { encoding: 'UTF-8', mark: [0xef, 0xbb, 0xbf] },
  { encoding: 'UTF-16LE', mark: [0xff, 0xfe] },
  { encoding: 'UTF-16BE', mark: [0xfe, 0xff] },
] as const;

export interface DecodedText {
  text: string;
  encoding: 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252';
}

function decode(bytes: Uint8Array, encoding: DecodedText['encoding']): DecodedText | undefined {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    return undefined;
  }
}

/**
 * The text of a file of unknown encoding: that of its byte order mark, else UTF-8, else Windows-1252,
 * which Windows programs write in western Europe and America.
 *
 * @throws {ConfigError} it is no text, or not in the encoding of its mark.
 */
export function decodeText(bytes: Uint8Array, name: string): DecodedText {
  const marked = MARKED.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte));
  const decoded = marked
    ? decode(bytes, marked.encoding)
    : (decode(bytes, 'UTF-8') ?? decode(bytes, 'Windows-1252'));
  if (decoded && !decoded.text.includes('\0')) return decoded;
  throw new ConfigError({
    code: 'stock-file-encoding',
    what: `The stock list ${name} is no text that can be read.`,
    why: decoded
      ? "It holds zero bytes: it is a spreadsheet or another program's own file, or UTF-16 without its mark."
      : `It begins as ${marked?.encoding}, but holds bytes that are not.`,
    fix: 'Export it again as CSV in UTF-8.',
  });
}
