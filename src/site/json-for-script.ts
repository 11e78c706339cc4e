/**
 * A value as JSON that can stand inside `<script type="application/ld+json">`. Nothing in it can end
 * the element or begin a comment: `<` is written as an escape, and so are the two line separators
 * that old parsers take for line ends.
 */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
