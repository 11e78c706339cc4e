/** All texts of the project: docs, comments, messages and names of tests. */
import { globSync, readFileSync } from 'node:fs';
import { type Argument, parseSync, Visitor } from 'oxc-parser';

export const KINDS = ['docs', 'comments', 'messages', 'tests'] as const;
type Kind = (typeof KINDS)[number];

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

/** The text of a string or template. Values become "…". */
function stringOf(node: Argument | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ value }) => value.raw).join('…');
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
  const addMessage = (node: Argument) => {
    const string = isTest ? undefined : stringOf(node);
    if (string && /\S \S/.test(string)) texts.push(text('messages', node.start, string));
  };
  new Visitor({
    CallExpression({ callee, arguments: [first], start }) {
      const name = isTest && stringOf(first);
      const called = source.slice(callee.start, callee.start + 8);
      if (name && /^(it|test|describe)\b/.test(called)) texts.push(text('tests', start, name));
    },
    Literal: addMessage,
    TemplateLiteral: addMessage,
  }).visit(program);
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
