import { compileSource } from './compiler.ts';
import { place } from './error-location.ts';
import { runtimeFor } from './runtime.ts';

/** Line of a fault that Nunjucks finds without one, from 1. */
function lineOf(error: Error, source: string): number {
  const [, block] = /^Block "(\w+)" defined more than once/.exec(error.message) ?? [];
  const twice = block && [...source.matchAll(new RegExp(`\\{%-?\\s*block\\s+${block}\\b`, 'g'))][1];
  // Without a line, something was not ended: that is found at the end of the file.
  const read = twice ? source.slice(0, twice.index) : source.trimEnd();
  return read.split('\n').length;
}

/**
 * A template as Nunjucks takes compiled ones: its functions by name.
 *
 * @throws {Error} Nunjucks' own, noted with file and line.
 */
export function compileTemplate(
  source: string,
  { name, file }: { name: string; file: string },
): object {
  try {
    return new Function('ours', compileSource(source, name))(runtimeFor(file, source)) as object;
  } catch (error) {
    const line = (error as { lineno?: number }).lineno || lineOf(error as Error, source);
    throw place(error, { file, line });
  }
}
