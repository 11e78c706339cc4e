/** Where an error came from first; outer templates leave it as it is. */
export interface TemplatePlace {
  file: string;
  /** From 1. Undefined where it is not known. */
  line: number | undefined;
  /** Message to report instead of the error's own. */
  reason?: string;
  /** Where other templates include it, or call its macro, from within to without. */
  usedIn?: { file: string; line: number }[];
}

/** Not on the errors themselves: those of other people's functions may be frozen. */
const places = new WeakMap<Error, TemplatePlace>();

/** The template that failed, where an error came out of one. */
export function placeOf(error: unknown): TemplatePlace | undefined {
  return error instanceof Error ? places.get(error) : undefined;
}

/** Notes that a template uses the one that failed. */
export function placeUse(error: unknown, use: { file: string; line: number }): void {
  const found = placeOf(error);
  if (!found || (found.usedIn?.at(-1) ?? found).file === use.file) return;
  found.usedIn = [...(found.usedIn ?? []), use];
}

/** Notes where an error came from, unless a template within has done so. Returns the error. */
export function place<Thrown>(error: Thrown, where: TemplatePlace): Thrown {
  if (error instanceof Error && !places.has(error)) places.set(error, where);
  return error;
}
