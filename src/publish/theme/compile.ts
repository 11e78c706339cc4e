import nunjucks from 'nunjucks';
import { place, placeOf } from './place.ts';

/** The helpers that Nunjucks hands to a compiled template. */
interface Runtime {
  handleError(error: unknown, line: number, column: number): unknown;
  ensureDefined(value: unknown, line: number, column: number): unknown;
  callWrap(fn: unknown, name: string, context: unknown, args: unknown[]): unknown;
}

/**
 * The helpers for one template. Nunjucks names the outermost template of a page in its errors, with
 * the line of the one that failed; these note the right file where an error comes up.
 */
function runtimeFor(file: string, runtime: Runtime): Runtime {
  return Object.assign(Object.create(runtime) as Runtime, {
    handleError(error: unknown, line: number, column: number) {
      place(error, { file, line: line + 1 });
      const told = runtime.handleError(error, line, column);
      const first = placeOf(error);
      if (first) place(told, first);
      return told;
    },
    ensureDefined(value: unknown, line: number, column: number) {
      try {
        return runtime.ensureDefined(value, line, column);
      } catch (error) {
        place(error, { file, line: line + 1 });
        throw error;
      }
    },
    callWrap(fn: unknown, name: string, context: unknown, args: unknown[]) {
      try {
        return runtime.callWrap(fn, name, context, args);
      } catch (error) {
        place(error, { file, line: undefined });
        throw error;
      }
    },
  });
}

const { compiler } = nunjucks as unknown as {
  compiler: {
    compile(
      source: string,
      asyncFilters: string[],
      extensions: object[],
      name: string,
      options: object,
    ): string;
  };
};

/** Where the variable `loop` may be read: by the template itself, or by one that gets its frame. */
const READS_LOOP = /\b(?:loop|include|context)\b/;

/** Where each function of a compiled template begins. Text of a template never begins a line. */
const ENTRY = /^function \w+\(env, context, frame, runtime, cb\) \{$/gm;

const LOOP_BINDING = /^frame\.set\("loop\.\w+", .*\);$/gm;

/** A template as Nunjucks takes compiled ones: its functions by name. */
export function compileTemplate(source: string, file: string, options: object): object {
  let code: string;
  try {
    code = compiler.compile(source, [], [], file, options);
  } catch (error) {
    // Without a line, something was not ended: that is found at the end of the file.
    const { lineno } = error as { lineno?: number };
    place(error, { file, line: lineno || source.trimEnd().split('\n').length });
    throw error;
  }
  // Nunjucks sets seven variables a turn, which takes a sixth of the time of a page.
  if (!READS_LOOP.test(source)) code = code.replace(LOOP_BINDING, '');
  const runtimes = new WeakMap<Runtime, Runtime>();
  const ours = (runtime: Runtime): Runtime => {
    const known = runtimes.get(runtime) ?? runtimeFor(file, runtime);
    runtimes.set(runtime, known);
    return known;
  };
  // Within its functions, not around them: `super()` finds a block by the very function.
  code = code.replace(ENTRY, '$&\nruntime = ours(runtime);');
  return new Function('ours', code)(ours) as object;
}
