import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, printable } from '../../errors.ts';
import { shown } from './failure.ts';
import { blockName, blocksOf, type Node, nodesOf, referencesOf, superIn } from './syntax.ts';
import { TEMPLATES } from './theme.ts';

/** A template of a site, as it was read. */
export interface Template {
  name: string;
  /** Absolute. */
  file: string;
  root: Node;
  /** Whether the file is in the theme. */
  isTheirs: boolean;
}

/** All templates by name. */
export type Templates = ReadonlyMap<string, Template>;

/** The built-in text of a template. Empty if only the theme has a template of this name. */
export function builtInText(name: string): string {
  const file = path.join(TEMPLATES, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** A file of a theme that lacks a part which other templates use. */
export function missingPart(
  part: string,
  file: string,
  { why, name }: { why: string; name: string },
) {
  const original = path.join(TEMPLATES, name);
  const start = existsSync(original) ? `, or start from a copy of ${shown(original)}` : '';
  return new ConfigError({
    code: 'theme-part-missing',
    what: `The theme's file ${printable(shown(file))} lacks ${part}.`,
    why,
    fix: `Add it${start}. To add something to every page, use partials/head.njk and partials/foot.njk (docs/theming.md).`,
  });
}

/**
 * An id in the text of a template. Without the closing quote, a value of the page follows. An id that is only
 * a value of the page counts if it is the id of an icon.
 */
const DEFINED = /(?:<symbol\s(?:[^>]*\s)?id=(?=["'])|\sid=(?=["'][^"']))(["'])([^"'>]*)(\1)?/g;
const USED = /<use\b[^>]*?\shref=(["'])#([^"'>]*)(\1)?/g;

interface FoundId {
  id: string;
  /** Whether a value of the page completes it. */
  open: boolean;
  /** In lines, from 0. */
  offset: number;
}

const idsIn = (pattern: RegExp, text: string): FoundId[] =>
  [...text.matchAll(pattern)].map(({ 2: id = '', 3: end, index }) => ({
    id,
    open: end === undefined,
    offset: text.slice(0, index).split('\n').length - 1,
  }));

const definesId = (text: string, id: string): boolean =>
  idsIn(DEFINED, text).some((one) => one.id === id);

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
  const found = new Map<Template, readonly Node[]>();
  const visit = (name: string, replaced: ReadonlySet<string>): boolean => {
    const template = templates.get(name);
    if (!template || found.has(template)) return true;
    const { root } = template;
    const isReplaced = (node: Node) => node.typename === 'Block' && replaced.has(blockName(node));
    const skip = replaced.size > 0 ? isReplaced : undefined;
    found.set(template, nodesOf(root, skip));
    const filled = blocksOf(root).filter((block) => !superIn(block));
    const below = new Set([...replaced, ...filled.map(blockName)]);
    return referencesOf(name, root, skip).every(
      (other) =>
        other.name !== undefined && visit(other.name, other.kind === 'Extends' ? below : new Set()),
    );
  };
  return visit(page, new Set()) ? found : undefined;
}

/** An id that a page uses and none of its templates defines. */
interface MissingId {
  id: string;
  /** The template that uses it. */
  user: Template;
  /** Where it is used and how, for messages. */
  use: string;
  /** The theme's template that should define it. */
  blamed: Template | undefined;
}

function missingIds(page: string, templates: Templates): MissingId[] {
  const shownNodes = nodesShownOn(page, templates) ?? new Map<Template, readonly Node[]>();
  const texts = [...shownNodes].flatMap(([template, nodes]) =>
    nodes
      .filter(({ typename }) => typename === 'TemplateData')
      .map(({ value, lineno }) => ({ text: String(value), template, line: lineno + 1 })),
  );
  // A part of a page finds its icons on the page that shows it.
  if (!texts.some(({ text }) => text.includes('<html'))) return [];
  const defined = texts.flatMap(({ text }) => idsIn(DEFINED, text));
  const isDefined = (id: string) =>
    defined.some((one) => (one.open ? id.startsWith(one.id) : id === one.id));
  const replaced = [...shownNodes.keys()]
    .filter(({ isTheirs }) => isTheirs)
    .map((template) => ({ template, text: builtInText(template.name) }));
  // If a value of the page completes an id, the page needs all matching ids of the replaced files.
  const builtIn = replaced.flatMap(({ text }) => idsIn(DEFINED, text).map(({ id }) => id));
  const blame = (id: string) =>
    replaced.find(({ text }) => definesId(text, id)) ??
    replaced.find(({ text }) => includesId(text, id));
  return texts.flatMap(({ text, template: user, line }) =>
    idsIn(USED, text).flatMap(({ id: used, open, offset }) =>
      (open ? builtIn.filter((id) => used !== '' && id.startsWith(used)) : [used])
        .filter((id) => !isDefined(id))
        .map((id) => ({
          id,
          user,
          use: `${shown(user.file)}, line ${line + offset}, uses #${used}${open ? '…' : ''}.`,
          blamed: blame(id)?.template,
        })),
    ),
  );
}

/**
 * Looks for icons and other elements that pages use by id. Without this check they would be missing, unnoticed.
 *
 * @throws {ConfigError} naming the theme's file, the ids that it lacks, and the template that uses them.
 */
export function checkIds(templates: Templates): void {
  const pages = [...templates.keys()].filter((name) => !name.startsWith('partials/'));
  const missing = pages.flatMap((page) => missingIds(page, templates));
  const [first] = missing;
  if (!first) return;
  const { blamed, user, use } = first;
  const same = missing.filter((one) => (blamed ? one.blamed === blamed : one.id === first.id));
  const ids = [...new Set(same.map(({ id }) => id))].sort();
  const part =
    ids.length === 1 ? `an element with the id ${ids}` : `elements with the ids ${ids.join(', ')}`;
  throw missingPart(part, (blamed ?? user).file, { why: use, name: blamed?.name ?? '' });
}
