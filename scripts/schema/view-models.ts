import { readFileSync } from 'node:fs';
import { type Comment, parseSync } from 'oxc-parser';
import { en } from '../../src/site/i18n/index.ts';

/** Files with the types of the view models, in the order of the reference. */
const SOURCES = ['view.ts', 'list-types.ts', 'gallery-types.ts'].map(
  (name) => new URL(`../../src/site/views/${name}`, import.meta.url),
);

/** Interfaces that no template uses. */
const INTERNAL = new Set(['GeneratedFile']);

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();

/** Text of a doc comment without its stars. */
const proseOf = (comment: Comment | undefined): string =>
  comment?.type === 'Block' && comment.value.startsWith('*')
    ? comment.value
        .slice(1)
        .split('\n')
        .map((line) => line.replace(/^\s*\*? ?/, ''))
        .join(' ')
        .trim()
    : '';

/** The tables of docs/view-models.md, from the types of the view models. */
export function viewModelReference(): string {
  const source = SOURCES.map((file) => readFileSync(file, 'utf8')).join('\n');
  const { program, comments, errors } = parseSync('view.ts', source);
  if (errors[0]) throw new Error(`src/site/views cannot be read: ${errors[0].message}`);
  /** The doc comment that ends right before a position. */
  const commentBefore = (start: number) =>
    proseOf(comments.find(({ end }) => end < start && source.slice(end, start).trim() === ''));
  const text = ({ start, end }: { start: number; end: number }) => source.slice(start, end);
  const linkable = new Set(['Words']);
  const sections: string[] = [];
  const linked = (type: string) =>
    cell(type.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\|/, ''))
      .split(/\b/)
      .map((part) => (linkable.has(part) ? `[${part}](#${part.toLowerCase()})` : part))
      .join('');
  const declarations = program.body.flatMap((statement) => {
    const { start } = statement;
    if (statement.type === 'TSInterfaceDeclaration') return [{ declaration: statement, start }];
    return statement.type === 'ExportNamedDeclaration' && statement.declaration
      ? [{ declaration: statement.declaration, start }]
      : [];
  });
  for (const { declaration } of declarations) {
    if ('id' in declaration && declaration.id && 'name' in declaration.id) {
      if (!INTERNAL.has(declaration.id.name)) linkable.add(declaration.id.name);
    }
  }
  for (const { declaration, start } of declarations) {
    if (declaration.type === 'TSTypeAliasDeclaration') {
      sections.push(
        `## ${declaration.id.name}\n\n${[commentBefore(start), `One of: ${linked(text(declaration.typeAnnotation))}.`].filter(Boolean).join('\n\n')}\n`,
      );
    }
    if (declaration.type !== 'TSInterfaceDeclaration' || !linkable.has(declaration.id.name))
      continue;
    const rows = declaration.body.body.flatMap((member) => {
      if (member.type !== 'TSPropertySignature' || !member.typeAnnotation) return [];
      const name = `${text(member.key)}${member.optional ? '?' : ''}`;
      const type = linked(text(member.typeAnnotation.typeAnnotation));
      return [`| \`${name}\` | ${type} | ${cell(commentBefore(member.start))} |`];
    });
    const parents = declaration.extends.map(({ expression }) => linked(text(expression)));
    const intro = [
      commentBefore(start),
      parents.length > 0 ? `Has everything of ${parents.join(' and ')} as well.` : '',
    ].filter(Boolean);
    sections.push(
      `${[
        `## ${declaration.id.name}`,
        ...intro,
        ['| Field | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n'),
      ].join('\n\n')}\n`,
    );
  }
  return [...sections, words()].join('\n').trimEnd();
}

function words(): string {
  const rows = Object.entries(en).map(([key, value]) => {
    const texts = typeof value === 'string' ? [value] : [value.one, value.other];
    return `| \`${key}\` | ${texts.map(cell).join('<br>')} |`;
  });
  return [
    '## Words',
    'The texts of `site.words`, in English. A theme changes them in `words.json`:',
    '[theming.md](theming.md#words). Two lines are the plural forms `one` and `other`.',
    '',
    '| Key | English |',
    '| --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
