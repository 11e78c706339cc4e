import { data, Evaluator, Lexer, Parser } from '@actions/expressions';

/** What became of a job or of the steps before one. */
export type Outcome = 'success' | 'failure' | 'skipped';

/** What expressions read, by the name of the context. */
export type Contexts = Record<string, Record<string, unknown>>;

/** Contexts of which a name that nobody sets is a mistake; of the others GitHub makes nothing of it. */
const KNOWN = /\b(secrets|vars|github|matrix|env|inputs)\.([\w-]+)/g;

/** The value of an expression, by GitHub's own evaluator. */
function evaluate(
  expression: string,
  contexts: Contexts,
  before: readonly Outcome[] = [],
): data.ExpressionData {
  const state: Record<string, boolean> = {
    always: true,
    success: before.every((outcome) => outcome === 'success'),
    failure: before.includes('failure'),
    cancelled: false,
  };
  for (const [name, context = '', member = ''] of expression.matchAll(KNOWN)) {
    if (contexts[context]?.[member] === undefined) throw new Error(`Nobody sets ${name}`);
  }
  const functions = Object.entries(state).map(([name, value]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(value),
  }));
  const { tokens } = new Lexer(expression).lex();
  const tree = new Parser(tokens, Object.keys(contexts), functions).parse();
  const given = JSON.parse(JSON.stringify(contexts), data.reviver);
  const known = new Map(functions.map((one) => [one.name, one]));
  return new Evaluator(tree, given, known).evaluate();
}

/** A text with the values of its expressions. */
export const resolve = (text: unknown, contexts: Contexts): string =>
  String(text).replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) =>
    evaluate(expression, contexts).coerceString(),
  );

/** All texts of a map, resolved. */
export const resolveAll = (
  texts: Readonly<Record<string, unknown>> | undefined,
  contexts: Contexts,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts ?? {}).map(([name, text]) => [name, resolve(text, contexts)]),
  );

/** Whether a step or a job with this `if` runs after what came before. */
export function holds(
  condition: string | undefined,
  before: readonly Outcome[],
  contexts: Contexts,
): boolean {
  const [, inner = 'success()'] =
    /^(?:\$\{\{ )?(.*?)(?: \}\})?$/.exec(condition ?? 'success()') ?? [];
  const asksForState = /\b(?:always|success|failure|cancelled)\(\)/.test(inner);
  const whole = asksForState ? inner : `success() && (${inner})`;
  return evaluate(whole, contexts, before).coerceString() === 'true';
}
