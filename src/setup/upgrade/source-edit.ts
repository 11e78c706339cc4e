import { stripTypeScriptTypes } from 'node:module';
import { type Comment, type ObjectExpression, type Property, parse } from 'acorn';
import { type FormerSetting, pathParts } from '../../config/former-settings.ts';

/** Why a setting cannot be renamed in a text, and in which line, from 1. */
export class NotSafe extends Error {
  readonly line: number | undefined;

  constructor(reason: string, line?: number) {
    super(reason);
    this.line = line;
  }
}

interface Source {
  text: string;
  root: ObjectExpression;
  comments: Comment[];
}

const lineAt = (text: string, position: number): number =>
  text.slice(0, position).split('\n').length;

/** The text without types, every other character at its place. */
function withoutTypes(text: string): string {
  // Node says once that this is an experiment, which is nothing to a person who updates a site.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** @throws {NotSafe} the object of the settings does not stand in the file itself. */
function read(text: string): Source {
  const comments: Comment[] = [];
  const program = parse(withoutTypes(text), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onComment: comments,
  });
  const exported = program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
  if (exported?.type !== 'ExportDefaultDeclaration') throw new NotSafe('it has no default export');
  const { declaration } = exported;
  const root = declaration.type === 'CallExpression' ? declaration.arguments[0] : declaration;
  if (root?.type === 'ObjectExpression') return { text, root, comments };
  throw new NotSafe(
    'the settings do not stand in the default export itself',
    lineAt(text, declaration.start),
  );
}

/** A property of an object as it is written; undefined where it has none of this name. */
function propertyOf(
  { text }: Source,
  object: ObjectExpression,
  name: string,
): Property | undefined {
  let found: Property | undefined;
  for (const one of object.properties) {
    const line = lineAt(text, one.start);
    if (one.type === 'SpreadElement')
      throw new NotSafe('settings are spread into the object', line);
    if (one.computed) throw new NotSafe('the name of a setting is computed', line);
    const key = one.key.type === 'Identifier' ? one.key.name : 'value' in one.key && one.key.value;
    if (key !== name) continue;
    if (one.kind !== 'init' || one.method) throw new NotSafe('the setting is a function', line);
    found = one;
  }
  return found;
}

/** The object that a part of a path leads to; undefined where it is not there. */
function below(source: Source, object: ObjectExpression, name: string, index?: number) {
  const property = propertyOf(source, object, name);
  if (!property) return undefined;
  const { value } = property;
  const isList = index !== undefined && value.type === 'ArrayExpression';
  if (isList && value.elements.every((element) => element?.type === 'ObjectExpression')) {
    return value.elements[index] as ObjectExpression | undefined;
  }
  if (index === undefined && value.type === 'ObjectExpression') return value;
  throw new NotSafe(`the value of ${name} does not stand here`, lineAt(source.text, value.start));
}

/** Where a setting stands, or would stand: the object nearest to it, and the names that lead on from there. */
function nearest(source: Source, path: string): { object: ObjectExpression; rest: string[] } {
  const parts = pathParts(path);
  let object = source.root;
  for (let at = 0; at < parts.length - 1; at++) {
    const next = parts[at + 1];
    const isIndex = typeof next === 'number';
    const found = below(source, object, String(parts[at]), isIndex ? next : undefined);
    if (!found) return { object, rest: parts.slice(at).map(String) };
    object = found;
    if (isIndex) at++;
  }
  return { object, rest: [String(parts.at(-1))] };
}

const indentAt = (text: string, position: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', position - 1) + 1))?.[0] ?? '';

/** What goes with a property: its lines with the comments above and beside it, or itself alone. */
function pieceOf({ text, comments }: Source, object: ObjectExpression, property: Property) {
  const at = object.properties.indexOf(property);
  const before = object.properties[at - 1]?.end ?? object.start + 1;
  const after = object.properties[at + 1]?.start;
  const lineEnd = text.indexOf('\n', before);
  const rest = /^[ \t]*,?[ \t]*/.exec(text.slice(property.end))?.[0] ?? '';
  const beside = comments.find(({ start }) => start === property.end + rest.length);
  const end = (beside?.end ?? property.end + rest.length) + 1;
  const isAlone = lineEnd >= 0 && lineEnd < property.start && text[end - 1] === '\n';
  if (isAlone) return { start: lineEnd + 1, end, isAlone };
  if (after !== undefined) return { start: property.start, end: after, isAlone };
  return { start: at > 0 ? before : property.start, end: property.end, isAlone };
}

/** The property under its new name, as it is written. */
function renamed({ text }: Source, { key, value, shorthand, end }: Property, name: string): string {
  if (shorthand) return `${name}: ${text.slice(value.start, end)}`;
  const [quote = ''] = /^['"]/.exec(text.slice(key.start)) ?? [];
  return `${quote}${name}${quote}${text.slice(key.end, end)}`;
}

const comma = (text: string): string => (text.endsWith(',') ? text : `${text},`);

function moved(source: Source, from: { object: ObjectExpression; property: Property }, to: string) {
  const { text } = source;
  const { property } = from;
  const target = nearest(source, to);
  const name = target.rest.at(-1) ?? '';
  const piece = pieceOf(source, from.object, property);
  const around = target.rest.slice(0, -1);
  const isTall = text.slice(target.object.start, target.object.end).includes('\n');
  const at = isTall ? text.indexOf('\n', target.object.start) + 1 : target.object.start + 1;
  const [first] = target.object.properties;
  const indent = first ? indentAt(text, first.start) : `${indentAt(text, target.object.start)}  `;
  const plain = comma(renamed(source, property, name));
  const wrapped = around.reduceRight((inner, one) => `${one}: { ${inner} },`, plain);
  let put = ` ${wrapped}`;
  if (isTall) {
    const above = piece.isAlone ? text.slice(piece.start, property.start).trim() : '';
    const besides = piece.isAlone
      ? text
          .slice(property.end, piece.end)
          .replace(/^\s*,?/, '')
          .trim()
      : '';
    const lines = [...above.split('\n').map((line) => line.trim()), `${wrapped} ${besides}`.trim()];
    put = lines.flatMap((line) => (line === '' ? [] : [`${indent}${line}\n`])).join('');
  }
  const cut = { start: piece.start, end: piece.end, text: '' };
  return [cut, { start: at, end: at, text: put }];
}

/** @throws {NotSafe} it is not plain enough; {@link NotSafe.line} says where. */
function rename(text: string, { path, newPath }: FormerSetting): string {
  const source = read(text);
  if (newPath === undefined)
    throw new NotSafe('nothing has taken its place, so take it out if you agree');
  const { object, rest } = nearest(source, path);
  const property = rest.length === 1 ? propertyOf(source, object, rest[0] ?? '') : undefined;
  if (!property) throw new NotSafe('it does not stand in this file');
  const [former, next] = [pathParts(path), pathParts(newPath)];
  const isBeside = former.slice(0, -1).join('/') === next.slice(0, -1).join('/');
  const edits = isBeside
    ? [{ ...property, text: renamed(source, property, String(next.at(-1))) }]
    : moved(source, { object, property }, newPath);
  const result = edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, one) => done.slice(0, one.start) + one.text + done.slice(one.end), text);
  const told = (list: readonly Comment[]) => list.map(({ value }) => value.trim()).toSorted();
  if (told(read(result).comments).join('\n') !== told(source.comments).join('\n')) {
    throw new NotSafe('a comment stands in the way', lineAt(text, property.start));
  }
  return result;
}

export interface SourceEdit {
  text: string;
  renamed: FormerSetting[];
  /** What a person has to write, why, and in which line, where that is known. */
  left: { former: FormerSetting; why: string; line: number | undefined }[];
}

/** Renames settings in the text of a configuration (TypeScript or JavaScript) where that is plain. */
export function renameSettings(text: string, formers: readonly FormerSetting[]): SourceEdit {
  const edit: SourceEdit = { text, renamed: [], left: [] };
  for (const former of formers) {
    try {
      edit.text = rename(edit.text, former);
      edit.renamed.push(former);
    } catch (error) {
      const { message, line } = error as NotSafe;
      edit.left.push({ former, why: message, line });
    }
  }
  return edit;
}
