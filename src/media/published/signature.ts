const starts = (bytes: Uint8Array, at: number, text: string): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(text.length, bytes.length)).toString(
    'latin1',
  ) === text;

/** Whether bytes begin as the picture that a name of ours promises. */
export function isPictureOf(name: string, bytes: Uint8Array): boolean {
  if (bytes.length < 16) return false;
  if (name.endsWith('.jpg')) return starts(bytes, 0, '\xff\xd8\xff');
  if (name.endsWith('.webp')) return starts(bytes, 0, 'RIFF') && starts(bytes, 8, 'WEBP');
  if (name.endsWith('.avif')) return starts(bytes, 4, 'ftypavif');
  return false;
}
