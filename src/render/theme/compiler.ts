import { createRequire } from 'node:module';
import nunjucks from 'nunjucks';
import { failureAt, TemplateFailure } from './failure.ts';
import { blockName, blocksOf, type Node, nodesOf, parseTemplate } from './syntax.ts';

/** The part of Nunjucks' compiler that is used here. It ships no types. */
interface Emitter {
  buffer: string;
  compile(node: Node, frame?: unknown): void;
  compileInclude(node: Node, frame: unknown): void;
  getCode(): string;
  _emit(code: string): void;
  _emitLine(code: string): void;
  _emitFuncBegin(node: Node, name: string): void;
  _emitLoopBindings(loop: Node, ...bindings: unknown[]): void;
  _compileExpression(node: unknown, frame: unknown): void;
  _compileGetTemplate(node: Node, frame: unknown, eager: boolean): string;
  _templateName(): string;
  _makeCallback(result: string): string;
  _tmpid(): string;
}

const require = createRequire(import.meta.url);
const { transform } = require('nunjucks/src/transformer') as { transform(root: Node): Node };
const { compiler, runtime } = nunjucks as unknown as {
  compiler: { Compiler: new (name: string, throwOnUndefined: boolean) => Emitter };
  runtime: { suppressValue(value: unknown, autoescape: boolean): unknown };
};

/** Expressions that can fail. */
const CAN_FAIL = ['Filter', 'Is', 'In', 'FunCall'];

/** Filters that accept a name without a value. */
const FOR_MISSING = ['default', 'd', 'length'];

/** Whether a loop reads the variable `loop`, or another template that gets it may do so. */
const readsLoop = (loop: Node): boolean =>
  nodesOf(loop).some(
    ({ typename, value, withContext }) =>
      (typename === 'Symbol' && value === 'loop') ||
      typename === 'Include' ||
      typename === 'Block' ||
      withContext === true,
  );

/** Compiles each part that can fail into a call of a runtime function that knows file and line. */
class LineCompiler extends compiler.Compiler {
  /** Names of inputs that need a value. Filters turn a misspelled name into an empty text, loops into nothing. */
  readonly #inputs = new Map<Node, string>();

  override _emitFuncBegin(node: Node, name: string): void {
    super._emitFuncBegin(node, name);
    // Inside the functions, not around them, because `super()` finds a block by its function.
    this._emitLine('runtime = lineRuntime;');
  }

  /** Sets variables directly. Nunjucks would also accept names with dots, which no tag can have. */
  override _emitLine(code: string): void {
    super._emitLine(code.replace(/^frame\.set\(("\w+"), (\w+)\);$/, 'frame.variables[$1] = $2;'));
  }

  /** Sets the seven variables of `loop` only if they are used. They take a sixth of the time of a page. */
  override _emitLoopBindings(loop: Node, ...bindings: unknown[]): void {
    if (readsLoop(loop)) super._emitLoopBindings(loop, ...bindings);
  }

  override compile(node: Node, frame?: unknown): void {
    const input = this.#inputs.get(node);
    if (input !== undefined) {
      this.#inputs.delete(node);
      this._emit(`runtime.given(${node.lineno}, ${JSON.stringify(input)}, `);
      this.compile(node, frame);
      this._emit(')');
      return;
    }
    if (node.typename === 'For' && !node.else_)
      this.#inputs.set(node.arr as Node, 'the list of "for"');
    if (!CAN_FAIL.includes(node.typename)) {
      super.compile(node, frame);
      return;
    }
    const filter = node.typename === 'Filter' ? String((node.name as Node).value) : '';
    const [first] = (filter && (node.args as Node).children) || [];
    if (first && !FOR_MISSING.includes(filter)) {
      this.#inputs.set(first, `the input of the filter "${filter}"`);
    }
    this._emit(`runtime.at(${node.lineno}, ${JSON.stringify(filter)}, () => `);
    super.compile(node, frame);
    this._emit(')');
  }

  /** Without callbacks, the error of a template reaches only the templates that include it. */
  override compileInclude(node: Node, frame: unknown): void {
    this._emit(`${this.buffer} += runtime.at(${node.lineno}, '', () => env.getTemplate(`);
    this._compileExpression(node.template, frame);
    const options = `false, ${this._templateName()}, ${node.ignoreMissing === true}`;
    this._emitLine(`, ${options}).render(context.getVariables(), frame));`);
  }

  /** For `extends` and imports. */
  override _compileGetTemplate(node: Node, frame: unknown, eager: boolean): string {
    const id = this._tmpid();
    this._emit(`runtime.find(${node.lineno}, () => env.getTemplate(`);
    this._compileExpression(node.template, frame);
    this._emitLine(`, ${eager}, ${this._templateName()}), ${this._makeCallback(id)}`);
    return id;
  }
}

/** The source of the expression in the braces at this position, from 0. Undefined if there are no braces. */
export function expressionAt(source: string, line: number, column: number): string | undefined {
  const from = source.split('\n').slice(line).join('\n').slice(column);
  return /^\{\{-?\s*(.*?)\s*-?\}\}/s.exec(from)?.[1]?.replace(/\s+/g, ' ');
}

/** Characters that Nunjucks escapes. */
const SPECIAL = /[&"'<>\\]/;

/** The runtime functions for one template. Lines count from 0, as in Nunjucks. */
function runtimeFor(file: string, source: string) {
  const at = <Result>(line: number, filter: string, work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw failureAt(error, { file, line: line + 1 }, filter && `the filter "${filter}" fails: `);
    }
  };
  return Object.assign(Object.create(runtime), {
    at,
    find: <Result>(line: number, find: () => Result, done: (_: null, template: Result) => void) =>
      done(null, at(line, '', find)),
    given(line: number, input: string, value: unknown) {
      if (value !== undefined) return value;
      throw new TemplateFailure(`${input} has no value`, { file, line: line + 1 });
    },
    ensureDefined(value: unknown, line: number, column: number) {
      if (value !== null && value !== undefined) return value;
      const reason = `{{ ${expressionAt(source, line, column) ?? '…'} }} has no value`;
      throw new TemplateFailure(reason, { file, line: line + 1 });
    },
    // Most values are texts without special characters. Nunjucks would replace none in each.
    suppressValue(value: unknown, autoescape: boolean) {
      if (typeof value === 'string' && !SPECIAL.test(value)) return value;
      return runtime.suppressValue(value, autoescape);
    },
    // Without the function that Nunjucks creates for each look-up.
    memberLookup(object: Readonly<Record<string, unknown>> | undefined | null, name: string) {
      const value = object?.[name];
      return typeof value === 'function' ? value.bind(object) : value;
    },
    // A failure of another template stays unchanged.
    handleError: (error: Error) =>
      error instanceof TemplateFailure ? error : failureAt(error, { file }),
  });
}

/** The compiled code of each template by name, for the next build of the same process. */
const codeByName = new Map<string, { source: string; code: string }>();

/** Compiles a template to the body of a function, which takes the runtime and returns the functions of the template. */
function compileSource(source: string, name: string): string {
  const entry = codeByName.get(name);
  if (entry?.source === source) return entry.code;
  const lineCompiler = new LineCompiler(name, true);
  lineCompiler.compile(transform(parseTemplate(source)));
  const code = lineCompiler.getCode();
  codeByName.set(name, { source, code });
  return code;
}

/** Line of an error that Nunjucks reports without one, from 1. */
function lineOf(error: Error, source: string): number {
  if (error.message.includes('defined more than once')) {
    const blocks = blocksOf(parseTemplate(source));
    const names = blocks.map(blockName);
    const second = blocks.find((block, at) => names.indexOf(blockName(block)) < at);
    if (second) return second.lineno + 1;
  }
  // Nunjucks notices a tag without an end at the end of the file.
  return source.trimEnd().split('\n').length;
}

/**
 * Compiles a template for Nunjucks. Returns its functions by name.
 *
 * @throws {TemplateFailure} it cannot be compiled.
 */
export function compileTemplate(source: string, { name, file }: { name: string; file: string }) {
  try {
    const functions = new Function('lineRuntime', compileSource(source, name));
    return functions(runtimeFor(file, source)) as object;
  } catch (error) {
    const line = (error as { lineno?: number }).lineno || lineOf(error as Error, source);
    throw failureAt(error, { file, line });
  }
}
