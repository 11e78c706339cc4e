/** As much of a node of the syntax tree as is looked at here. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
};

const OPERATORS: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '++': '--',
  '--': '++',
  '+=': '-=',
  '-=': '+=',
};

/** Methods and what they become; without the call where that is empty. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['every', 'some'],
  ['some', 'every'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['toUpperCase', 'toLowerCase'],
  ['toLowerCase', 'toUpperCase'],
  ['min', 'max'],
  ['max', 'min'],
  ['filter', ''],
  ['reverse', ''],
  ['slice', ''],
  ['sort', ''],
  ['trim', ''],
]);

/** Properties that hold what people read; their words are nobody's behaviour. */
const WORDING = new Set(['what', 'why', 'fix', 'message', 'reason', 'detail']);

const textOf = (node: Node, text: string): string => text.slice(node.start, node.end);

const child = (node: Node, key: string): Node => node[key] as Node;

const isStringLike = (node: Node): boolean =>
  node.type === 'TemplateLiteral' ||
  (node.type === 'Literal' && typeof node.value === 'string') ||
  (node.type === 'BinaryExpression' &&
    (isStringLike(child(node, 'left')) || isStringLike(child(node, 'right'))));

/** Whether a text is read by people alone: part of an error, or a description in a schema. */
function isWording(node: Node, parents: readonly Node[]): boolean {
  let inner = node;
  for (const parent of parents) {
    if (parent.type === 'Property' && parent.value === inner) {
      const key = child(parent, 'key');
      return WORDING.has(String(key.name ?? key.value));
    }
    if (parent.type === 'NewExpression') {
      return /(?:Error|Fault)$/.test(String(child(parent, 'callee').name));
    }
    if (parent.type === 'CallExpression') {
      return child(child(parent, 'callee'), 'property')?.name === 'describe';
    }
    if (!/^(?:ConditionalExpression|TemplateLiteral|LogicalExpression)$/.test(parent.type)) {
      return false;
    }
    inner = parent;
  }
  return false;
}

function changesOfText(node: Node, parents: readonly Node[], text: string): string[] {
  const [parent] = parents;
  const isName =
    /^(?:Import|Export)/.test(parent?.type ?? '') ||
    parent?.type === 'TaggedTemplateExpression' ||
    (parent?.key === node && parent.computed !== true);
  if (isName || isWording(node, parents)) return [];
  return [/^(?:''|``)$/.test(textOf(node, text)) ? "'changed'" : "''"];
}

/** What an arrow function without braces returns. */
const isBody = (node: Node, parent: Node): boolean =>
  parent.type === 'ArrowFunctionExpression' && parent.body === node;

/** A pattern without an anchor, with a class turned round, or without how often something comes. */
function changesOfPattern(node: Node): string[] {
  const { pattern, flags } = node.regex as { pattern: string; flags: string };
  const made = [
    pattern.replace(/^\^/, ''),
    pattern.replace(/\$$/, ''),
    pattern.replace(/\\([dDwWsS])/, (_, letter: string) =>
      letter === letter.toLowerCase() ? `\\${letter.toUpperCase()}` : `\\${letter.toLowerCase()}`,
    ),
    pattern.replace(/\[\^/, '['),
    pattern.replace(/(?<!\\)\[(?!\^)/, '[^'),
    pattern.replace(/(?<=[\])\w])(?:[+*]|\{[\d,]+\})/, ''),
  ];
  return [...new Set(made)]
    .filter((one) => one !== pattern && one !== '')
    .map((one) => `/${one}/${flags}`);
}

/** A test that is always so, or never; a loop that never begins; a function that returns nothing. */
function changesOfPlace(node: Node, [parent]: readonly Node[]): string[] {
  if (!parent || node.type === 'BlockStatement') return [];
  if (parent.test === node) {
    return /^(?:For|While|DoWhile|SwitchCase)/.test(parent.type) ? ['false'] : ['true', 'false'];
  }
  const isYesOrNo =
    (node.type === 'BinaryExpression' && String(node.operator) in COMPARISONS) ||
    (node.type === 'LogicalExpression' && node.operator !== '??');
  if (!isYesOrNo) return isBody(node, parent) ? ['undefined'] : [];
  // What makes the whole of it true or false already is not said twice.
  if (parent.type === 'LogicalExpression') {
    return parent.operator === '||' ? ['false'] : parent.operator === '&&' ? ['true'] : [];
  }
  return parent.type === 'ReturnStatement' || isBody(node, parent) ? ['true', 'false'] : [];
}

function changesOfOperator(node: Node, text: string): string[] {
  const operator = String(node.operator);
  const left = child(node, 'left');
  const right = child(node, 'right');
  const others = COMPARISONS[operator] ?? (OPERATORS[operator] ? [OPERATORS[operator]] : []);
  if (operator === '+' && (isStringLike(left) || isStringLike(right))) return [];
  return others.map((other) => {
    // `??` takes no neighbour without parentheses.
    return `(${textOf(left, text)}) ${other} (${textOf(right, text)})`;
  });
}

function changesOfCall(node: Node, parents: readonly Node[], text: string): string[] {
  const callee = child(node, 'callee');
  if (callee.type !== 'MemberExpression' || callee.computed === true) return [];
  if (parents.some(({ type }) => type === 'ChainExpression')) return [];
  const object = child(callee, 'object');
  const property = child(callee, 'property');
  const other = METHODS.get(String(property.name));
  if (other === undefined) return [];
  if (other === '') return [textOf(object, text)];
  return [text.slice(node.start, property.start) + other + text.slice(property.end, node.end)];
}

/** Places in which a name stands for somewhere to write, so nothing else can stand there. */
const isTarget = (node: Node, [parent]: readonly Node[]): boolean =>
  (parent?.type === 'AssignmentExpression' && parent.left === node) ||
  (parent?.type === 'UpdateExpression' && parent.argument === node) ||
  (parent?.type === 'UnaryExpression' && parent.operator === 'delete') ||
  parent?.type === 'ExpressionStatement';

function changesOfChain(node: Node, text: string): string[] {
  const own = textOf(node, text);
  const at = own.indexOf('?.');
  if (at < 0) return [];
  const behind = own.slice(at + 2);
  return [own.slice(0, at) + (/^[[(]/.test(behind) ? behind : `.${behind}`)];
}

/**
 * What may take a node's place: the changes that mutation tests of JavaScript make by convention
 * (those of Stryker, but for words that only people read).
 *
 * @param parents of the node, the nearest first.
 */
export function changesOf(
  node: Node,
  parents: readonly Node[],
  text: string,
): readonly string[] | 'empty block' {
  const [parent] = parents;
  const places = changesOfPlace(node, parents);
  switch (node.type) {
    case 'BlockStatement':
      return (node.body as Node[]).length > 0 && !isConstructor(parents) ? 'empty block' : [];
    case 'BinaryExpression':
    case 'LogicalExpression':
      return [...places, ...changesOfOperator(node, text)];
    case 'UnaryExpression':
      if (node.operator === '!') return [...places, textOf(child(node, 'argument'), text)];
      return node.operator === '-' ? [`+(${textOf(child(node, 'argument'), text)})`] : places;
    case 'UpdateExpression': {
      const name = textOf(child(node, 'argument'), text);
      const other = OPERATORS[String(node.operator)];
      return [node.prefix ? `${other}${name}` : `${name}${other}`];
    }
    case 'AssignmentExpression': {
      const other = OPERATORS[String(node.operator)];
      if (other === undefined || isStringLike(child(node, 'right'))) return [];
      return [
        `${textOf(child(node, 'left'), text)} ${other} ${textOf(child(node, 'right'), text)}`,
      ];
    }
    case 'ArrayExpression':
      return [(node.elements as unknown[]).length > 0 ? '[]' : "['changed']"];
    case 'ObjectExpression':
      return (node.properties as unknown[]).length > 0 ? ['{}'] : [];
    case 'TemplateLiteral':
      return changesOfText(node, parents, text);
    case 'Literal':
      if (typeof node.value === 'string') return changesOfText(node, parents, text);
      if (typeof node.value === 'boolean') return [String(!node.value)];
      return node.regex ? changesOfPattern(node) : [];
    case 'CallExpression':
      return [...places, ...changesOfCall(node, parents, text)];
    case 'ChainExpression':
      return isTarget(node, parents) && parent?.type !== 'ExpressionStatement'
        ? []
        : [...places, ...changesOfChain(node, text)];
    default:
      return places;
  }
}

const isConstructor = ([parent, grandparent]: readonly Node[]): boolean =>
  parent?.type === 'FunctionExpression' &&
  grandparent?.type === 'MethodDefinition' &&
  grandparent.kind === 'constructor';
