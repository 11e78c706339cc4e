import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, printable } from '../../errors.ts';
import { shown } from './failure.ts';
import { blocksIn, layoutsBelow, type Template, type Templates } from './names.ts';
import { blockName, blocksOf, type Node, nodesOf, referencesOf, resolvedName } from './syntax.ts';
import { TEMPLATES } from './theme.ts';

/**
 * An id in the text of a template. Without the closing quote, a value of the page follows. An id of which nothing
 * else is known counts only if it is that of an icon.
 */
const DEFINED = /(?:<symbol\s(?:[^>]*\s)?id=(?=["'])|\sid=(?=["'][^"']))(["'])([^"'>]*)(\1)?/g;
const USED = /<use\b[^>]*?\shref=(["'])#([^"'>]*)(\1)?/g;

/** An id that a template names. */
interface NamedId {
  id: string;
  /** Whether the id only begins so. */
  open: boolean;
  file: string;
  /** From 1. */
  line: number;
}

function idsIn(pattern: RegExp, text: string, { file = '', line = 1 } = {}): NamedId[] {
  return [...text.matchAll(pattern)].map(({ 2: id = '', 3: end, index }) => ({
    ...{ id, file, open: end === undefined },
    line: line + text.slice(0, index).split('\n').length - 1,
  }));
}

const callsSuper = (block: Node): boolean =>
  [...nodesOf(block)].some(
    ({ typename, name }) => typename === 'FunCall' && (name as Node).value === 'super',
  );

/** The nodes of all templates that one page can show, by name. Undefined if a name is computed. */
function shownOn(page: string, templates: Templates): Map<string, Node[]> | undefined {
  const found = new Map<string, Node[]>();
  const visit = (name: string, replaced: ReadonlySet<string>): boolean => {
    const root = templates.get(name)?.root;
    if (!root || found.has(name)) return true;
    const skip = (node: Node) => node.typename === 'Block' && replaced.has(blockName(node));
    found.set(name, [...nodesOf(root, skip)]);
    const own = blocksOf(root).filter((block) => !callsSuper(block));
    const below = new Set([...replaced, ...own.map(blockName)]);
    return [...referencesOf(root, skip)].every(
      (other) =>
        other.name !== undefined &&
        visit(resolvedName(name, other.name), other.kind === 'Extends' ? below : new Set()),
    );
  };
  return visit(page, new Set()) ? found : undefined;
}

/** The built-in text of a template. Empty if only the theme has one of this name. */
function builtIn(name: string): string {
  const file = path.join(TEMPLATES, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

const bringsId = (text: string, id: string): boolean =>
  idsIn(DEFINED, text).some((one) => one.id === id);

/** Whether a template includes one that has an id, as built in. */
const includesId = (text: string, id: string): boolean =>
  [...text.matchAll(/\{%-? include "([^"]+)"/g)].some(([, name = '']) =>
    bringsId(builtIn(name), id),
  );

/** The files of a theme on a page, with the built-in text that each replaces. */
const replacedOn = (names: Iterable<string>, templates: Templates) =>
  [...names].flatMap((name) => {
    const template = templates.get(name);
    return template?.isTheirs ? [{ name, file: template.file, text: builtIn(name) }] : [];
  });

function lacks(what: string, file: string, { why, name }: { why: string; name: string }): Error {
  const original = path.join(TEMPLATES, name);
  const start = existsSync(original) ? `, or begin with a copy of ${shown(original)}` : '';
  return new ConfigError({
    code: 'theme-part-missing',
    what: `The theme's file ${printable(shown(file))} lacks ${what}.`,
    why,
    fix: `Add it${start}. What is to be on all pages besides goes into partials/head.njk and partials/foot.njk (docs/theming.md).`,
  });
}

/** An id that a page uses and no template of it has, and the theme's file that should have it. */
interface MissingId {
  id: string;
  use: NamedId;
  blamed: { name: string; file: string } | undefined;
}

function missingIds(page: string, templates: Templates): MissingId[] {
  const parts = shownOn(page, templates);
  const texts = [...(parts ?? [])].flatMap(([name, nodes]) =>
    nodes.flatMap(({ typename, value, lineno }) =>
      typename === 'TemplateData'
        ? [{ text: String(value), file: (templates.get(name) as Template).file, line: lineno + 1 }]
        : [],
    ),
  );
  // A part of a page finds its icons on the page that shows it.
  if (!parts || !texts.some(({ text }) => text.includes('<html'))) return [];
  const defined = texts.flatMap(({ text }) => idsIn(DEFINED, text));
  const isThere = (id: string) =>
    defined.some((one) => (one.open ? id.startsWith(one.id) : id === one.id));
  const used = texts.flatMap(({ text, ...place }) => idsIn(USED, text, place));
  const theirs = replacedOn(parts.keys(), templates);
  // If a value of the page completes an id, all are needed that the built-in files have.
  const had = theirs.flatMap(({ text }) => idsIn(DEFINED, text).map(({ id }) => id));
  return used.flatMap((use) =>
    (use.open ? had.filter((id) => use.id !== '' && id.startsWith(use.id)) : [use.id])
      .filter((id) => !isThere(id))
      .map((id) => {
        const blamed =
          theirs.find(({ text }) => bringsId(text, id)) ??
          theirs.find(({ text }) => includesId(text, id));
        return { id, use, blamed };
      }),
  );
}

/** @throws {ConfigError} pages use ids of elements, such as icons, that they do not have. */
function checkIds(templates: Templates): void {
  const pages = [...templates.keys()].filter((name) => !name.startsWith('partials/'));
  const missing = pages.flatMap((page) => missingIds(page, templates));
  const [first] = missing;
  if (!first) return;
  const { use, blamed } = first;
  const same = missing.filter((one) =>
    blamed ? one.blamed?.file === blamed.file : one.id === first.id,
  );
  const ids = [...new Set(same.map(({ id }) => id))].sort();
  const what =
    ids.length === 1 ? `an element with the id ${ids}` : `elements with the ids ${ids.join(', ')}`;
  throw lacks(what, blamed?.file ?? use.file, {
    why: `${shown(use.file)}, line ${use.line}, uses #${use.id}${use.open ? '…' : ''}.`,
    name: blamed?.name ?? '',
  });
}

/** @throws {ConfigError} a file of the theme lacks a block that templates above it fill. */
function checkFilledBlocks(name: string, templates: Templates): void {
  const top = templates.get(name) as Template;
  const below = layoutsBelow(name, templates) ?? [];
  const there = new Set(below.flatMap((one) => blocksIn(one, templates)));
  for (const block of below.length > 0 ? blocksOf(top.root) : []) {
    const missing = blockName(block);
    const blamed = there.has(missing)
      ? undefined
      : replacedOn(below, templates).find(({ text }) =>
          new RegExp(`\\{%-?\\s*block\\s+${missing}\\b`).test(text),
        );
    if (!blamed) continue;
    throw lacks(`the block "${missing}"`, blamed.file, {
      why: `${shown(top.file)}, line ${block.lineno + 1}, fills it.`,
      name: blamed.name,
    });
  }
}

/**
 * Looks for parts that templates take from others without naming a file: blocks that they fill, and elements,
 * such as icons, that they use by id. Without this check they would be missing from pages, unnoticed.
 *
 * @throws {ConfigError} naming the theme's file, the missing part, and the template that uses it.
 */
export function checkParts(templates: Templates): void {
  for (const name of templates.keys()) checkFilledBlocks(name, templates);
  checkIds(templates);
}
