/** Where an error came from first; outer templates leave it as it is. */
export interface TemplatePlace {
  file: string;
  /** From 1; undefined where it is not known. */
  line: number | undefined;
}

// Registered, because Eleventy may import a copy of this module of its own.
const PLACE = Symbol.for('vehicle-media-site.template');

/** The template that failed, where an error came out of one. */
export function placeOf(error: unknown): TemplatePlace | undefined {
  return (error as { [PLACE]?: TemplatePlace } | null)?.[PLACE];
}

/** Notes where an error came from, unless a template within has done so. */
export function place(error: unknown, where: TemplatePlace): void {
  if (error instanceof Error && placeOf(error) === undefined) {
    Object.defineProperty(error, PLACE, { value: where });
  }
}
