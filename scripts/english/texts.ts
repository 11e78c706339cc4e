/** All texts of the project: docs, comments, messages and names of tests. */
import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

export const KINDS = ['docs', 'comments', 'messages', 'tests'] as const;
export type Kind = (typeof KINDS)[number];

export interface Text {
  kind: Kind;
  file: string;
  line: number;
  text: string;
}

const DOCS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'create/README.md', 'docs/**/*.md'];
const SOURCES = [
  '{src,scripts,test,bench}/**/*.ts',
  '{create,scripts,templates}/**/*.{js,cjs}',
  '{.eleventy,vitest*}.ts',
];
/** Pages and sections that a command writes. */
const GENERATED_FILES = ['docs/commands.md', 'docs/configuration.md', 'docs/view-models.md'];
const GENERATED = /<!-- ([\w:-]+) -->[\s\S]*?<!-- \/\1 -->/g;
const CODE = /^( *)```[\s\S]*?^\1```/gm;

const lineAt = (source: string, offset: number): number =>
  source.slice(0, offset).split('\n').length;
/** The same number of lines, without text. */
const blank = (text: string): string => text.replace(/[^\n]/g, '');

export const docFiles = (): string[] =>
  globSync(DOCS)
    .sort()
    .filter((file) => !GENERATED_FILES.includes(file));

/** The number of words on a page, without generated sections. */
export const wordsOf = (file: string): number =>
  readFileSync(file, 'utf8')
    .replace(GENERATED, '')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

function textsOfDocs(): Text[] {
  return docFiles().flatMap((file) =>
    readFileSync(file, 'utf8')
      .replace(GENERATED, blank)
      .replace(CODE, blank)
      .split('\n')
      .map((line, at) => ({
        kind: 'docs' as const,
        file,
        line: at + 1,
        text: line.replace(/`[^`]*`/g, '`'),
      })),
  );
}

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const child of Object.values(node).flat()) if (isNode(child)) yield* nodesIn(child);
}

/** The text of a string or template. Values become "…". */
function stringOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as { value: { raw: string } }[]).map(({ value }) => value.raw).join('…');
}

function textsOfSource(file: string): Text[] {
  const source = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, source);
  const text = (kind: Kind, start: number, value: string): Text => ({
    kind,
    file,
    line: lineAt(source, start),
    text: value,
  });
  const texts = comments
    .filter(({ value }) => !/^\s*biome-ignore/.test(value))
    .map(({ start, value }) =>
      text('comments', start, value.replace(/^\s*\* ?/gm, '').replace(/`[^`]*`/g, '`')),
    );
  const isTest = file.startsWith('test/');
  for (const node of nodesIn(program as unknown as Node)) {
    if (isTest && node.type === 'CallExpression') {
      const callee = source.slice((node.callee as Node).start, (node.callee as Node).start + 8);
      const name = stringOf((node.arguments as Node[])[0]);
      if (name && /^(it|test|describe)\b/.test(callee)) texts.push(text('tests', node.start, name));
    }
    const string = isTest ? undefined : stringOf(node);
    if (string && /\S \S/.test(string)) texts.push(text('messages', node.start, string));
  }
  return texts;
}

export const allTexts = (): Text[] => [
  ...textsOfDocs(),
  ...globSync(SOURCES)
    .sort()
    // The patterns themselves.
    .filter((file) => file !== 'scripts/english/patterns.ts')
    .flatMap(textsOfSource),
];
