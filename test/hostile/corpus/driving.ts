/** Code points that drive a terminal, turn the reading direction, or hide. Source: UAX #9, UTR #36. */
const RANGES: [from: number, to: number][] = [
  [0x00, 0x09],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x180e, 0x180e],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2064],
  [0x2066, 0x206f],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0001, 0xe007f],
];

/** Control characters of a text, in hex. The caller checks line breaks. */
export function drivingCharacters(text: string): string[] {
  return [...text]
    .map((character) => character.codePointAt(0) ?? 0)
    .filter((code) => RANGES.some(([from, to]) => code >= from && code <= to))
    .map((code) => code.toString(16));
}

/** Lines that CI systems run as commands. Source: actions/runner, ActionCommand.cs. Azure's agent. */
export function isCommand(line: string): boolean {
  return line.trimStart().startsWith('::') || /##[a-z]*\[/i.test(line);
}
