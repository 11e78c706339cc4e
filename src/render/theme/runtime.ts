import nunjucks from 'nunjucks';
import { place, placeOf, placeUse } from './error-location.ts';

/** The runtime functions that Nunjucks passes to a compiled template. */
interface Runtime {
  handleError(error: unknown, line: number, column: number): unknown;
  callWrap(fn: unknown, name: string, context: unknown, args: unknown[]): unknown;
  inOperator(key: unknown, value: unknown): boolean;
}

const { runtime } = nunjucks as unknown as { runtime: Runtime };

type AnyFunction = (...args: unknown[]) => unknown;
type Callback = (error: unknown, result: unknown) => void;

/** What of a template compiled ones use. */
interface Found {
  render(variables: unknown, frame: unknown, done: Callback): void;
  getExported(...contextAndDone: [...unknown[], Callback]): void;
}

/** What a template wants of another. */
interface Use {
  isIncluded: boolean;
  /** Names that it imports from it. */
  names: readonly string[];
}

interface Environment {
  getFilter(name: string): AnyFunction;
  getTest(name: string): AnyFunction;
  getTemplate(
    name: unknown,
    eager: boolean,
    parent: string,
    ignoreMissing: boolean,
    callback: (error: unknown, template: Found) => void,
  ): void;
}

/** The expression in the braces that begin at a place, as it is written. */
function expressionAt(source: string, line: number, column: number): string | undefined {
  const from = source.split('\n').slice(line).join('\n').slice(column);
  return /^\{\{-?\s*(.*?)\s*-?\}\}/s.exec(from)?.[1]?.replace(/\s+/g, ' ');
}

/** A template as another uses it: what fails in that is noted with the place that uses it. */
function usedBy({ isIncluded, names }: Use, at: { file: string; line: number }, template: Found) {
  if (isIncluded) {
    const render: Found['render'] = (variables, frame, done) =>
      template.render(variables, frame, (error, text) => {
        placeUse(error, at);
        done(error, text);
      });
    return { render };
  }
  if (names.length === 0) return template;
  return {
    getExported(...context: [...unknown[], Callback]) {
      const done = context.pop() as Callback;
      template.getExported(...context, (error, exported) => {
        const missing = names.find((name) => exported && !Object.hasOwn(exported, name));
        if (missing === undefined) done(error, exported);
        else done(place(new Error(`cannot import '${missing}'`), at), exported);
      });
    },
  };
}

/**
 * The runtime functions for one template: any error in it is given its file and line as it is thrown.
 * Lines are counted from 0, as Nunjucks does.
 */
export function runtimeFor(file: string, source: string) {
  const at = (line: number) => ({ file, line: line + 1 });
  const doing = <Result>(line: number, work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw place(error, at(line));
    }
  };
  return Object.assign(Object.create(runtime) as Runtime, {
    ensureDefined(value: unknown, line: number, column: number) {
      if (value !== null && value !== undefined) return value;
      const expression = expressionAt(source, line, column) ?? '…';
      throw place(new Error(`{{ ${expression} }} has no value`), at(line));
    },
    filter: (line: number, env: Environment, name: string, context: unknown, args: unknown[]) =>
      doing(line, () => {
        const filter = env.getFilter(name);
        try {
          return filter.apply(context, args);
        } catch (thrown) {
          const error = thrown instanceof Error ? thrown : new Error(String(thrown));
          const reason = `the filter "${name}" fails: ${error.message}`;
          throw place(error, { ...at(line), reason });
        }
      }),
    test: (line: number, env: Environment, name: string, context: unknown, args: unknown[]) =>
      doing(line, () => env.getTest(name).apply(context, args) === true),
    isIn: (line: number, key: unknown, value: unknown) =>
      doing(line, () => runtime.inOperator(key, value)),
    call(line: number, fn: unknown, name: string, context: unknown, args: unknown[]) {
      try {
        return runtime.callWrap(fn, name, context, args);
      } catch (error) {
        placeUse(error, at(line));
        throw place(error, at(line));
      }
    },
    getTemplate: (
      line: number,
      use: Use,
      env: Environment,
      name: unknown,
      eager: boolean,
      parent: string,
      ignoreMissing: boolean,
      callback: Callback,
    ) =>
      doing(line, () =>
        env.getTemplate(name, eager, parent, ignoreMissing, (error, template) =>
          callback(error && place(error, at(line)), template && usedBy(use, at(line), template)),
        ),
      ),
    checkSuper(line: number, name: string, block: unknown, context: { blocks: object }) {
      const blocks = (context.blocks as Record<string, unknown[]>)[name] ?? [];
      if (blocks.indexOf(block) < blocks.length - 1) return;
      const message = `super() in the block "${name}", which no layout below has`;
      throw place(new Error(message), at(line));
    },
    handleError(error: unknown, line: number, column: number) {
      place(error, { file, line: undefined });
      const failure = runtime.handleError(error, line, column);
      const first = placeOf(error);
      return first ? place(failure, first) : failure;
    },
  });
}
