/** Outputs that every contender creates from a source, with our default quality and effort. */
export const OUTPUTS = {
  widths: [320, 640, 1280],
  webp: { quality: 75, effort: 2 },
  jpeg: { width: 640, quality: 78 },
} as const;
