import { createRequire } from 'node:module';
import nunjucks from 'nunjucks';
import { place } from './error-location.ts';
import { runtimeFor } from './runtime.ts';
import { importedNames, type Node, nodesOf, parseTemplate } from './syntax.ts';

/** What of Nunjucks' compiler is used here. It ships no types. */
interface Emitter {
  compile(node: Node, frame?: unknown): void;
  getCode(): string;
  _emit(code: string): void;
  _emitLine(code: string): void;
  _emitFuncBegin(node: Node, name: string): void;
  _emitLoopBindings(...bindings: unknown[]): void;
  _compileExpression(node: Node, frame: unknown): void;
  _compileAggregate(node: Node, frame: unknown, start: string, end: string): void;
  _getNodeName(node: Node): string;
  _templateName(): string;
  _makeCallback(result: string): string;
  _tmpid(): string;
  compileSuper(node: Node, frame: unknown): void;
}

const require = createRequire(import.meta.url);
const { transform } = require('nunjucks/src/transformer') as { transform(root: Node): Node };
const { compiler } = nunjucks as unknown as {
  compiler: { Compiler: new (name: string, throwOnUndefined: boolean) => Emitter };
};

const quoted = (value: unknown): string => JSON.stringify(String(value));

/** Whether the variable `loop` may be read within a loop: by its template, or by another that gets it. */
const readsLoop = (root: Node): boolean =>
  [...nodesOf(root)].some(
    (loop) =>
      loop.typename === 'For' &&
      [...nodesOf(loop)].some(
        ({ typename, value, withContext }) =>
          (typename === 'Symbol' && value === 'loop') ||
          typename === 'Include' ||
          typename === 'Block' ||
          withContext === true,
      ),
  );

/**
 * Nunjucks' compiler, but whatever can fail is done by our runtime, which is handed the line: Nunjucks
 * knows of few things where they are, and runs what follows a tag within the template that it names.
 */
class LineCompiler extends compiler.Compiler {
  readsLoop = true;
  root: Node | undefined;

  override _emitFuncBegin(node: Node, name: string): void {
    super._emitFuncBegin(node, name);
    // Within the functions, not around them: `super()` finds a block by the very function.
    this._emitLine('runtime = ours;');
  }

  /** Nunjucks sets seven variables a turn, which takes a sixth of the time of a page. */
  override _emitLoopBindings(...bindings: unknown[]): void {
    if (this.readsLoop) super._emitLoopBindings(...bindings);
  }

  compileFilter(node: Node, frame: unknown): void {
    this._emit(
      `runtime.filter(${node.lineno}, env, ${quoted((node.name as Node).value)}, context, `,
    );
    this._compileAggregate(node.args as Node, frame, '[', '])');
  }

  compileIs(node: Node, frame: unknown): void {
    const { name, value, args } = node.right as Node;
    const test = quoted((name as Node | undefined)?.value ?? value);
    this._emit(`runtime.test(${node.lineno}, env, ${test}, context, [`);
    this.compile(node.left as Node, frame);
    if (args) this._compileAggregate(args as Node, frame, ', ', '');
    this._emit('])');
  }

  compileIn(node: Node, frame: unknown): void {
    this._emit(`runtime.isIn(${node.lineno}, `);
    this.compile(node.left as Node, frame);
    this._emit(', ');
    this.compile(node.right as Node, frame);
    this._emit(')');
  }

  compileFunCall(node: Node, frame: unknown): void {
    const name = node.name as Node;
    this._emit(`runtime.call(${node.lineno}, `);
    this._compileExpression(name, frame);
    this._emit(`, ${quoted(this._getNodeName(name))}, context, `);
    this._compileAggregate(node.args as Node, frame, '[', '])');
  }

  _compileGetTemplate(node: Node, frame: unknown, eager: boolean, ignoreMissing: boolean): string {
    const id = this._tmpid();
    const names = node.typename === 'FromImport' ? importedNames(node) : [];
    const use = JSON.stringify({ isIncluded: node.typename === 'Include', names });
    this._emit(`runtime.getTemplate(${node.lineno}, ${use}, env, `);
    this._compileExpression(node.template as Node, frame);
    this._emitLine(
      `, ${eager}, ${this._templateName()}, ${ignoreMissing === true}, ${this._makeCallback(id)}`,
    );
    return id;
  }

  override compileSuper(node: Node, frame: unknown): void {
    const name = String((node.blockName as Node).value);
    const hole = node.symbol as Node;
    const [call = hole] = [...nodesOf(this.root ?? node)].filter(
      (one) => one.typename === 'Symbol' && one.value === hole.value && one !== hole,
    );
    this._emitLine(`runtime.checkSuper(${call.lineno}, ${quoted(name)}, b_${name}, context);`);
    super.compileSuper(node, frame);
  }
}

/** What the templates of a process came to last, by name: development builds make the same ones again. */
const compiled = new Map<string, { source: string; code: string }>();

/** A template as the body of a function that gets our runtime as `ours` and returns its functions. */
function compileSource(source: string, name: string): string {
  const known = compiled.get(name);
  if (known?.source === source) return known.code;
  const made = new LineCompiler(name, true);
  made.root = transform(parseTemplate(source));
  made.readsLoop = readsLoop(made.root);
  made.compile(made.root);
  const code = made.getCode();
  compiled.set(name, { source, code });
  return code;
}

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
