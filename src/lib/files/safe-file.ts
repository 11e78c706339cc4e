/** Names that Windows reserves for devices, with or without extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

const SEGMENT = /^\.?[a-z0-9_-][a-z0-9._~-]*$/i;

/**
 * Whether a path below the output folder can be written unchanged on every file system and
 * cannot lead out of the folder: plain letters, no `..`, no device names, no dot at the end.
 */
export const isSafeFile = (file: string): boolean =>
  file.split('/').every((name) => SEGMENT.test(name) && !name.endsWith('.') && !DEVICE.test(name));
