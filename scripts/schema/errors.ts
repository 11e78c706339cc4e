/**
 * docs/errors.md: every code with its exit code, message, reason and advice, read from the sources.
 * An error is any object literal with `code` and `what`.
 */

import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import * as errors from '../../src/errors.ts';

/** A node of the syntax tree (ESTree). */
interface Node {
  type: string;
  [key: string]: unknown;
}

/** Values of the parameters in one call of a function. */
type Values = ReadonlyMap<string, Node>;

interface Row {
  code: string;
  exit: string;
  message: string;
  fix: string;
}

/** Headings, and the folders of their errors. The first match counts. */
const PARTS: [heading: string, folders: string[]][] = [
  ['Settings and arguments', ['src/config', 'src/cli', 'src/lib/command-line']],
  ['`npm run init` and `npm run new`', ['src/setup', 'scripts']],
  ['The service', ['src/service']],
  ['Stock lists, `vehicles.csv` and feeds', ['src/stock']],
  ['Themes and custom pages', ['src/render', 'src/site']],
  ['Deploys', ['src/deploy']],
  ['History of sent videos', ['src/batches']],
  ['Builds', ['src']],
];

/** Errors that only developers of this project can see. */
const DEVELOPERS = /^src\/sample-service|^scripts\/commands\/(release|package|lockfile|chaos)/;

const CODE = /^[a-z0-9]+(-[a-z0-9-]*…?)?$/;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;
const children = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
const nodes = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
const name = (node: unknown): string => (isNode(node) ? String(node.name ?? '') : '');

/** The codes of an expression: both, if it is conditional. */
const codesOf = (node: unknown, values: Values): string[] =>
  isNode(node) && node.type === 'ConditionalExpression'
    ? [node.consequent, node.alternate].flatMap((one) => codesOf(one, values))
    : [textOf(node, values)];

/** The text of an expression. Values from run time become "…". */
function textOf(node: unknown, values: Values): string {
  if (!isNode(node)) return '';
  const text = (child: unknown) => textOf(child, values);
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : '…';
    case 'TemplateLiteral': {
      const expressions = nodes(node.expressions);
      return nodes(node.quasis)
        .map(({ value }, at) => {
          const { cooked } = value as { cooked: string };
          return cooked + (at < expressions.length ? text(expressions[at]) : '');
        })
        .join('');
    }
    case 'ConditionalExpression':
      return text(node.consequent) || text(node.alternate);
    case 'BinaryExpression':
      return node.operator === '+' ? text(node.left) + text(node.right) : '…';
    case 'CallExpression':
      // A method of the text, such as .trimEnd().
      return isNode(node.callee) && name(node.callee.property).startsWith('trim')
        ? text(node.callee.object)
        : '…';
    case 'AssignmentPattern':
      return text(node.right);
    case 'Identifier': {
      const value = values.get(name(node));
      return value && value !== node ? textOf(value, new Map()) : '…';
    }
    default:
      return '…';
  }
}

/** The function that a node declares: its name and its parameters. */
function functionOf(node: Node): { functionName: string; params: Node[] } | undefined {
  const value = node.type === 'VariableDeclarator' && isNode(node.init) ? node.init : node;
  if (!/^(Arrow)?Function/.test(value.type)) return undefined;
  return { functionName: name(node.id), params: nodes(value.params) };
}

/** Values of the parameters in each call of a function of this file. Without calls, the defaults. */
function callsOf(
  { functionName, params }: { functionName: string; params: Node[] },
  calls: Node[],
): Values[] {
  const matchingCalls = calls.filter(({ callee }) => name(callee) === functionName);
  return (matchingCalls.length > 0 ? matchingCalls : [{ type: '' }]).map(
    (call) =>
      new Map(
        params.flatMap((param, at): [string, Node][] => {
          const argument = nodes(call.arguments)[at] ?? param;
          return [[name(param.type === 'AssignmentPattern' ? param.left : param), argument]];
        }),
      ),
  );
}

function exitOf(className: string): string {
  const type = (errors as Record<string, unknown>)[className];
  if (typeof type !== 'function') return '';
  return String(Reflect.construct(type, [{ code: '', what: '' }]).exitCode);
}

/** The errors in a file. */
function errorsIn(file: string, source: string): Row[] {
  const rows: Row[] = [];
  const { program } = parseSync(file, source);
  const calls: Node[] = [];
  const collect = (node: Node): void => {
    if (node.type === 'CallExpression') calls.push(node);
    for (const child of children(node)) collect(child);
  };
  collect(program as unknown as Node);
  const visit = (node: Node, scopes: Values[], className: string): void => {
    const properties = nodes(node.properties);
    const part = (key: string) => properties.find((one) => name(one.key) === key)?.value;
    if (node.type === 'ObjectExpression' && part('code') && part('what')) {
      for (const values of scopes) {
        const text = (key: string) => textOf(part(key), values).replace(/…(\s*…)+/g, '…');
        const codes = codesOf(part('code'), values).filter((one) => CODE.test(one));
        const message = [text('what'), text('why')].filter((one) => /\w/.test(one)).join(' ');
        for (const code of codes)
          rows.push({ code, exit: exitOf(className), message, fix: text('fix') });
      }
    }
    const declared = functionOf(node);
    const inner = declared?.functionName ? callsOf(declared, calls) : scopes;
    const constructed = node.type === 'NewExpression' ? name(node.callee) : '';
    for (const child of children(node)) visit(child, inner, constructed);
  };
  visit(program as unknown as Node, [new Map()], '');
  return rows;
}

/** A text as a paragraph, or several as a list. Escapes markup. */
function paragraph(texts: string[]): string {
  const different = [...new Set(texts.map((text) => text.trim().replace(/\s*\n\s*/g, ' ')))]
    .filter((text) => /\w/.test(text))
    .map((text) => text.replace(/[<*_[\]]/g, '\\$&'));
  return different.length > 1 ? different.map((one) => `- ${one}`).join('\n') : different.join('');
}

function sectionOf([code, rows]: [string, Row[]]): string {
  const exits = [...new Set(rows.map(({ exit }) => exit || 'report'))].join(', ');
  const fix = paragraph(rows.map((row) => row.fix)) || 'The message names the fix.';
  const advice = fix.startsWith('- ') ? `What to do:\n\n${fix}` : `What to do: ${fix}`;
  return [
    `### \`${code}\``,
    `Exit code: ${exits}`,
    paragraph(rows.map((row) => row.message)),
    advice,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** All errors, one section for each code. */
export function errorReference(): string {
  const parts = new Map(PARTS.map(([heading]) => [heading, [] as Row[]]));
  for (const file of globSync(['src/**/*.ts', 'scripts/**/*.ts']).sort()) {
    if (DEVELOPERS.test(file) || file === 'src/errors.ts') continue;
    const part = PARTS.find(([, folders]) => folders.some((one) => file.startsWith(`${one}/`)));
    if (part) parts.get(part[0])?.push(...errorsIn(file, readFileSync(file, 'utf8')));
  }
  return [...parts]
    .map(([heading, rows]) => {
      const codes = [...Map.groupBy(rows, ({ code }) => code)].sort(([a], [b]) => (a < b ? -1 : 1));
      return [`## ${heading}`, ...codes.map(sectionOf)].join('\n\n');
    })
    .join('\n\n');
}
