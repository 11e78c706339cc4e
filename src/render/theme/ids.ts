import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, printable } from '../../errors.ts';
import { shownPath } from './failure.ts';
import { blockName, blocksOf, type Node, nodesOf, referencesOf, superIn } from './syntax.ts';
import { TEMPLATES } from './theme.ts';

/** A parsed template of a site. */
export interface Template {
  name: string;
  /** Absolute. */
  file: string;
  root: Node;
  /** Whether the file is in the theme. */
  isInTheme: boolean;
}

/** All templates by name. */
export type Templates = ReadonlyMap<string, Template>;

/** The built-in text of a template. Empty if only the theme has a template of this name. */
export function builtInText(name: string): string {
  const file = path.join(TEMPLATES, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** The error for a file of a theme without a part that other templates use. */
export function missingPart(
  part: string,
  file: string,
  { why, name }: { why: string; name: string },
) {
  const original = path.join(TEMPLATES, name);
  const start = existsSync(original) ? `, or start from a copy of ${shownPath(original)}` : '';
  return new ConfigError({
    code: 'theme-part-missing',
    what: `The theme's file ${printable(shownPath(file))} lacks ${part}.`,
    why,
    fix: `Add it${start}. To add something to every page, use partials/head.njk and partials/foot.njk (docs/theming.md).`,
  });
}

/**
 * An id in the text of a template. If the closing quote is missing, a value of the page follows. An id that is
 * only a value of the page counts if it is the id of an icon.
 */
const DEFINED_ID = /(?:<symbol\s(?:[^>]*\s)?id=(?=["'])|\sid=(?=["'][^"']))(["'])([^"'>]*)(\1)?/g;
const USED_ID = /<use\b[^>]*?\shref=(["'])#([^"'>]*)(\1)?/g;

interface IdMatch {
  id: string;
  /** Whether a value of the page completes it. */
  open: boolean;
  /** In lines, from 0. */
  offset: number;
}

const idsIn = (pattern: RegExp, text: string): IdMatch[] =>
  [...text.matchAll(pattern)].map(({ 2: id = '', 3: end, index }) => ({
    id,
    open: end === undefined,
    offset: text.slice(0, index).split('\n').length - 1,
  }));

const definesId = (text: string, id: string): boolean =>
  idsIn(DEFINED_ID, text).some((match) => match.id === id);

/** Whether a text includes a built-in template that defines an id. */
const includesId = (text: string, id: string): boolean =>
  [...text.matchAll(/\{%-? include "([^"]+)"/g)].some(([, name = '']) =>
    definesId(builtInText(name), id),
  );

/** The nodes of all templates that a page can show. Undefined if the name of one is computed. */
function nodesShownOn(
  page: string,
  templates: Templates,
): Map<Template, readonly Node[]> | undefined {
  const nodes = new Map<Template, readonly Node[]>();
  const visit = (name: string, replaced: ReadonlySet<string>): boolean => {
    const template = templates.get(name);
    if (!template || nodes.has(template)) return true;
    const { root } = template;
    const isReplaced = (node: Node) => node.typename === 'Block' && replaced.has(blockName(node));
    const skip = replaced.size > 0 ? isReplaced : undefined;
    nodes.set(template, nodesOf(root, skip));
    const filledBlocks = blocksOf(root).filter((block) => !superIn(block));
    const replacedBelow = new Set([...replaced, ...filledBlocks.map(blockName)]);
    return referencesOf(name, root, skip).every(
      (other) =>
        other.name !== undefined &&
        visit(other.name, other.kind === 'Extends' ? replacedBelow : new Set()),
    );
  };
  return visit(page, new Set()) ? nodes : undefined;
}

/** An id that a page uses and none of its templates defines. */
interface MissingId {
  id: string;
  /** The template that uses it. */
  user: Template;
  /** Its use with file and line, for messages. */
  use: string;
  /** The theme's template that should define it. */
  owner: Template | undefined;
}

function missingIds(page: string, templates: Templates): MissingId[] {
  const shownNodes = nodesShownOn(page, templates) ?? new Map<Template, readonly Node[]>();
  const texts = [...shownNodes].flatMap(([template, nodes]) =>
    nodes
      .filter(({ typename }) => typename === 'TemplateData')
      .map(({ value, lineno }) => ({ text: String(value), template, line: lineno + 1 })),
  );
  // A part of a page uses the icons of the page that shows it.
  if (!texts.some(({ text }) => text.includes('<html'))) return [];
  const definitions = texts.flatMap(({ text }) => idsIn(DEFINED_ID, text));
  const isDefined = (id: string) =>
    definitions.some((match) => (match.open ? id.startsWith(match.id) : id === match.id));
  const replacedFiles = [...shownNodes.keys()]
    .filter(({ isInTheme }) => isInTheme)
    .map((template) => ({ template, text: builtInText(template.name) }));
  // If a value of the page completes an id, the page needs all matching ids of the replaced files.
  const builtIn = replacedFiles.flatMap(({ text }) => idsIn(DEFINED_ID, text).map(({ id }) => id));
  const ownerOf = (id: string) =>
    replacedFiles.find(({ text }) => definesId(text, id)) ??
    replacedFiles.find(({ text }) => includesId(text, id));
  return texts.flatMap(({ text, template: user, line }) =>
    idsIn(USED_ID, text).flatMap(({ id: usedId, open, offset }) =>
      (open ? builtIn.filter((id) => usedId !== '' && id.startsWith(usedId)) : [usedId])
        .filter((id) => !isDefined(id))
        .map((id) => ({
          id,
          user,
          use: `${shownPath(user.file)}, line ${line + offset}, uses #${usedId}${open ? '…' : ''}.`,
          owner: ownerOf(id)?.template,
        })),
    ),
  );
}

/**
 * Checks that icons and other elements exist that pages use by id. Otherwise they would be missing unnoticed.
 *
 * @throws {ConfigError} with the theme's file, its missing ids, and the template that uses them.
 */
export function checkIds(templates: Templates): void {
  const pages = [...templates.keys()].filter((name) => !name.startsWith('partials/'));
  const missing = pages.flatMap((page) => missingIds(page, templates));
  const [first] = missing;
  if (!first) return;
  const { owner, user, use } = first;
  const related = missing.filter((other) =>
    owner ? other.owner === owner : other.id === first.id,
  );
  const ids = [...new Set(related.map(({ id }) => id))].sort();
  const part =
    ids.length === 1 ? `an element with the id ${ids}` : `elements with the ids ${ids.join(', ')}`;
  throw missingPart(part, (owner ?? user).file, { why: use, name: owner?.name ?? '' });
}
