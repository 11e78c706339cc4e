/** What every program of the comparison makes of a source; quality and effort are our defaults. */
export const OUTPUTS = {
  widths: [320, 640, 1280],
  webp: { quality: 75, effort: 2 },
  jpeg: { width: 640, quality: 78 },
} as const;
