import nunjucks from 'nunjucks';
import { place, placeOf } from './place.ts';

type Render = (
  env: unknown,
  context: unknown,
  frame: unknown,
  runtime: Runtime,
  done: unknown,
) => unknown;

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
  const functions = new Function(code)() as Record<string, Render>;
  const runtimes = new WeakMap<Runtime, Runtime>();
  return Object.fromEntries(
    Object.entries(functions).map(([name, render]) => [
      name,
      (env: unknown, context: unknown, frame: unknown, runtime: Runtime, done: unknown) => {
        const ours = runtimes.get(runtime) ?? runtimeFor(file, runtime);
        runtimes.set(runtime, ours);
        return render(env, context, frame, ours, done);
      },
    ]),
  );
}
