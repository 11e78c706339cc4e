/** A value that is no plain JSON, and where it stands. */
export class NotPlainError extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

const kindOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(typeof value);
  return value.constructor?.name ?? 'object';
};

/**
 * A copy of plain JSON. What JSON would drop or change without a word is refused: a template would
 * find something else than was put in.
 *
 * @throws {NotPlainError} naming the place.
 */
export function plainCopy(value: unknown, path: string, above: readonly unknown[] = []): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new NotPlainError(path, `is ${value}, which is no number in JSON`);
  }
  if (typeof value !== 'object') throw new NotPlainError(path, `is of the kind ${kindOf(value)}`);
  if (above.includes(value)) throw new NotPlainError(path, 'leads back to what it stands in');
  const trail = [...above, value];
  if (Array.isArray(value)) {
    return value.map((entry, index) => plainCopy(entry, `${path}[${index}]`, trail));
  }
  // Objects of the same shape can come from another realm, as under a test runner.
  const prototype: unknown = Object.getPrototypeOf(value);
  const isOfClass = prototype !== null && Object.getPrototypeOf(prototype) !== null;
  if (isOfClass || Object.prototype.toString.call(value) !== '[object Object]') {
    throw new NotPlainError(path, `is of the kind ${kindOf(value)}`);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, plainCopy(inner, `${path}.${key}`, trail)]),
  );
}
