import nunjucks from 'nunjucks';
import type { Tag } from './node.ts';

export type TemplateFunction = (...args: never[]) => unknown;

/** What templates can call besides what Nunjucks brings. */
export interface TemplateFunctions {
  filters: Readonly<Record<string, TemplateFunction>>;
  /** Tags that stand alone: `{% name 1, 2 %}`. What they give is markup. */
  shortcodes: Readonly<Record<string, TemplateFunction>>;
  /** Tags around something: `{% name %}…{% endname %}`. They are given its text first. */
  pairedShortcodes: Readonly<Record<string, TemplateFunction>>;
  /** Names that every template has. */
  globals: Readonly<Record<string, unknown>>;
  /** The files that all of them follow from, by names that are the same on every machine. */
  files: ReadonlyMap<string, string>;
}

export const NO_FUNCTIONS: TemplateFunctions = {
  filters: {},
  shortcodes: {},
  pairedShortcodes: {},
  globals: {},
  files: new Map(),
};

/** What stands before a shortcode's name among the filters, where no template can write it. */
const SHORTCODE = 'shortcode ';

/** How a person would call what stands under a name among the filters. */
export const filterInWords = (name: string): string =>
  name.startsWith(SHORTCODE)
    ? `the shortcode "${name.slice(SHORTCODE.length)}"`
    : `the filter "${name}"`;

/**
 * A shortcode as a tag. It is read as a filter, of its first argument or of what it stands around: so it is
 * looked for before anything is rendered, and its failure is reported with file and line, as for any filter.
 */
function tagOf(name: string, isPaired: boolean): Tag {
  return {
    tags: [name],
    parse(parser, nodes) {
      const { value, lineno, colno } = parser.nextToken();
      const args = [...(parser.parseSignature(true, true).children ?? [])];
      parser.advanceAfterBlockEnd(value);
      if (isPaired) {
        args.unshift(new nodes.Capture(lineno, colno, parser.parseUntilBlocks(`end${name}`)));
        parser.advanceAfterBlockEnd();
      }
      const filter = new nodes.Symbol(lineno, colno, SHORTCODE + name);
      const given = new nodes.NodeList(lineno, colno, args);
      return new nodes.Output(lineno, colno, [new nodes.Filter(lineno, colno, filter, given)]);
    },
  };
}

/** The tags that templates may have besides those of Nunjucks. */
export function tagsOf({ shortcodes, pairedShortcodes }: TemplateFunctions): Tag[] {
  return [
    ...Object.keys(shortcodes).map((name) => tagOf(name, false)),
    ...Object.keys(pairedShortcodes).map((name) => tagOf(name, true)),
  ];
}

const isPromise = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** The same, but what has to be waited for is refused: templates are rendered without waiting. */
function atOnce(work: TemplateFunction): (this: unknown, ...args: unknown[]) => unknown {
  return function (...args) {
    const given: unknown = work.apply(this, args as never[]);
    if (isPromise(given)) throw new Error('it gives a promise, and templates do not wait');
    return given;
  };
}

function markupOf(work: TemplateFunction): (this: unknown, ...args: unknown[]) => unknown {
  const now = atOnce(work);
  return function (...args) {
    const given = now.apply(this, args);
    if (given === undefined || given === null) throw new Error('it gives nothing');
    return new nunjucks.runtime.SafeString(String(given));
  };
}

/** Gives an environment the functions that templates may call. */
export function addFunctions(
  environment: nunjucks.Environment,
  { filters, shortcodes, pairedShortcodes, globals }: TemplateFunctions,
): void {
  for (const [name, work] of Object.entries(filters)) environment.addFilter(name, atOnce(work));
  for (const [name, work] of Object.entries({ ...shortcodes, ...pairedShortcodes })) {
    environment.addFilter(SHORTCODE + name, markupOf(work));
  }
  for (const [name, value] of Object.entries(globals)) environment.addGlobal(name, value);
}
