import { createRequire } from 'node:module';
import nunjucks from 'nunjucks';
import { type Node, nodesOf, parseTemplate } from './syntax.ts';

/** What of Nunjucks' compiler is used here; it ships no types. */
interface Emitter {
  codebuf: string[];
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
  compileFromImport(node: Node, frame: unknown): void;
  compileInclude(node: Node, frame: unknown): void;
  compileSuper(node: Node, frame: unknown): void;
}

const require = createRequire(import.meta.url);
const { transform } = require('nunjucks/src/transformer') as { transform(root: Node): Node };
const { compiler } = nunjucks as unknown as {
  compiler: { Compiler: new (name: string, throwOnUndefined: boolean) => Emitter };
};

const quoted = (value: unknown): string => JSON.stringify(String(value));

/** Where the variable `loop` may be read: by the template itself, or by one that gets its frame. */
const READS_LOOP = /\b(?:loop|include|context)\b/;

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
    this._emit(`runtime.getTemplate(${node.lineno}, env, `);
    this._compileExpression(node.template as Node, frame);
    this._emitLine(
      `, ${eager}, ${this._templateName()}, ${ignoreMissing === true}, ${this._makeCallback(id)}`,
    );
    return id;
  }

  override compileFromImport(node: Node, frame: unknown): void {
    const from = this.codebuf.length;
    super.compileFromImport(node, frame);
    this.#replaceFrom(
      from,
      /^cb\(new Error\((.*?)\)\); return;/,
      `cb(runtime.failed(${node.lineno}, new Error($1))); return;`,
    );
  }

  override compileInclude(node: Node, frame: unknown): void {
    const from = this.codebuf.length;
    super.compileInclude(node, frame);
    this.#replaceFrom(
      from,
      /^(template\.render\(.*if\((\w+)\) \{ cb\()\2\)/s,
      `$1runtime.included(${node.lineno}, $2))`,
    );
  }

  /** Changes what was emitted since then. */
  #replaceFrom(from: number, wanted: RegExp, by: string): void {
    for (let index = from; index < this.codebuf.length; index++) {
      this.codebuf[index] = (this.codebuf[index] ?? '').replace(wanted, by);
    }
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

/** A template as the body of a function that gets our runtime as `ours` and returns its functions. */
export function compileSource(source: string, name: string): string {
  const made = new LineCompiler(name, true);
  made.readsLoop = READS_LOOP.test(source);
  made.root = transform(parseTemplate(source));
  made.compile(made.root);
  return made.getCode();
}
