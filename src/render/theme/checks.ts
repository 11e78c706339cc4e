import { existsSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, printable } from '../../errors.ts';
import { didYouMean } from '../../lib/closest.ts';
import { failureAt, renderError, shownPath, TemplateFailure, unusedFile } from './failure.ts';
import { templateEnvironment } from './page-renderer.ts';
import {
  blockName,
  blocksOf,
  exportsOf,
  type Node,
  nodesOf,
  readTree,
  referencesOf,
  superIn,
  textOutsideBlocks,
} from './syntax.ts';
import { TEMPLATES, type Theme } from './theme.ts';

/** A parsed template of a site. */
interface Template {
  name: string;
  /** Absolute. */
  file: string;
  root: Node;
  isInTheme: boolean;
}

/** All templates by name. */
type Templates = ReadonlyMap<string, Template>;

/** The names of the blocks of a built-in template. None if only the theme has a template of this name. */
function builtInBlocks(name: string): string[] {
  const file = path.join(TEMPLATES, name);
  return existsSync(file) ? blocksOf(readTree(file)).map(blockName) : [];
}

/** The filters and tests of Nunjucks. Its types do not describe tests. */
interface Functions {
  getFilter(name: string): unknown;
  getTest(name: string): unknown;
}

/** @throws {Error} a node uses an unknown filter or test. */
function checkFunction({ typename, name, right }: Node, functions: Functions): void {
  if (typename === 'Filter') functions.getFilter(String((name as Node).value));
  if (typename !== 'Is') return;
  const test = right as Node;
  functions.getTest(String((test.name as Node | undefined)?.value ?? test.value));
}

/** @throws {TemplateFailure} a template names a filter, a test, a template or a macro that does not exist. */
function checkNames(template: Template, templates: Templates, functions: Functions): void {
  const { name, file, root, isInTheme } = template;
  for (const node of nodesOf(root)) {
    try {
      checkFunction(node, functions);
    } catch (error) {
      throw failureAt(error, { file, line: node.lineno + 1 });
    }
  }
  for (const { name: target, line, optional, imported } of referencesOf(name, root)) {
    if (target === undefined) continue;
    const other = templates.get(target);
    if (!other) {
      if (optional) continue;
      const hint = didYouMean(target, [...templates.keys()]);
      throw new TemplateFailure(`template not found: ${target}.${hint}`, { file, line });
    }
    const missing = imported.find((macro) => !exportsOf(other.root).includes(macro));
    if (missing === undefined) continue;
    const reason = `cannot import '${missing}': ${target} has no such macro`;
    const use = { file, line };
    throw other.isInTheme && !isInTheme
      ? new TemplateFailure(reason, { file: other.file }, undefined, [use])
      : new TemplateFailure(reason, use);
  }
}

/** Tags in these nodes may be unused. */
const isOptional = ({ typename }: Node) =>
  /^(?:If|Switch|For|Async(?:Each|All)|Macro|Caller|Set|Block)$/.test(typename);

/** @throws {TemplateFailure} a template always includes or extends itself, directly or through others. */
function checkCircle({ name, file, root }: Template, templates: Templates): void {
  const visited = new Set<string>();
  const leadsBack = (target = ''): boolean => {
    const other = templates.get(target);
    if (target === name || !other || visited.has(target)) return target === name;
    visited.add(target);
    return referencesOf(target, other.root, isOptional).some((tag) => leadsBack(tag.name));
  };
  const tag = referencesOf(name, root, isOptional).find((one) => leadsBack(one.name));
  if (!tag) return;
  const through = tag.name === name ? '' : ` through ${tag.name}`;
  throw new TemplateFailure(`it includes itself${through}`, { file, line: tag.line });
}

/** The templates that a template extends, nearest first. Undefined if one of them is unknown. */
function layoutsBelow(template: Template, templates: Templates): Template[] | undefined {
  const layouts: Template[] = [];
  for (let top = template; ; ) {
    const base = referencesOf(top.name, top.root).find(({ kind }) => kind === 'Extends');
    if (!base) return layouts;
    const next = templates.get(base.name ?? '');
    if (!next) return undefined;
    if (layouts.includes(next)) return layouts;
    layouts.push(next);
    top = next;
  }
}

const unusedText = (text: string, file: string, why: string, fix: string): ConfigError =>
  new ConfigError({
    code: 'theme-text-unused',
    what: `Nothing shows ${text} of the theme's file ${printable(file)}.`,
    why,
    fix,
  });

/**
 * A template that extends another can only fill its blocks.
 *
 * @throws {ConfigError} the template fills a missing block, or has text outside of blocks.
 * @throws {TemplateFailure} it calls `super()` in a block that no layout has.
 */
function checkBlocks(template: Template, templates: Templates): void {
  const { file, root, isInTheme } = template;
  const layouts = layoutsBelow(template, templates);
  if (!layouts) return;
  const layoutBlocks = new Set(layouts.flatMap((layout) => blocksOf(layout.root).map(blockName)));
  const blocks = blocksOf(root);
  for (const block of blocks) {
    const call = superIn(block);
    const name = blockName(block);
    if (!call || layoutBlocks.has(name)) continue;
    const reason = `super() in the block "${name}", which no layout below has`;
    throw new TemplateFailure(reason, { file, line: call.lineno + 1 });
  }
  // If it extends another only in some cases, it may show everything.
  if (!root.children?.some(({ typename }) => typename === 'Extends')) return;
  // A block within another is shown with it.
  const innerNodes = blocks.flatMap((block) => nodesOf(block).slice(1));
  for (const block of blocks) {
    const name = blockName(block);
    if (layoutBlocks.has(name) || innerNodes.includes(block)) continue;
    const line = block.lineno + 1;
    const layout = layouts.find(
      (other) => other.isInTheme && builtInBlocks(other.name).includes(name),
    );
    if (layout) {
      const original = shownPath(path.join(TEMPLATES, layout.name));
      throw new ConfigError({
        code: 'theme-part-missing',
        what: `The theme's file ${printable(shownPath(layout.file))} lacks the block "${name}".`,
        why: `${shownPath(file)}, line ${line}, fills it.`,
        fix: `Add it, or start from a copy of ${original}. To add something to every page, use partials/head.njk and partials/foot.njk (docs/theming.md).`,
      });
    }
    if (!isInTheme) continue;
    throw unusedText(
      `the block "${name}" in line ${line}`,
      file,
      `The layout has no such block. It has ${[...layoutBlocks].join(', ') || 'none'}.`,
      'Correct the name of the block, or remove it.',
    );
  }
  const line = isInTheme ? textOutsideBlocks(root) : undefined;
  if (line === undefined) return;
  throw unusedText(
    `line ${line}`,
    file,
    'The template extends another: it fills blocks, and text outside of them is not shown.',
    'Move it into a block, or remove it.',
  );
}

/** @throws {ConfigError} no page uses a partial of the theme, or pages use only its macros and it has other text. */
function checkPartials(templates: Templates): void {
  const usedNames = new Set<string>();
  const includedNames = new Set<string>();
  let isComputed = false;
  const visit = (name: string): void => {
    const template = templates.get(name);
    if (!template || usedNames.has(name)) return;
    usedNames.add(name);
    for (const other of referencesOf(name, template.root)) {
      if (other.name === undefined) isComputed = true;
      else visit(other.name);
      if (/^(?:Extends|Include)$/.test(other.kind)) includedNames.add(other.name ?? '');
    }
  };
  for (const name of templates.keys()) if (!name.startsWith('partials/')) visit(name);
  const partials = [...templates.values()].filter(({ name }) => name.startsWith('partials/'));
  for (const { name, file, root, isInTheme } of isComputed ? [] : partials) {
    if (!isInTheme || includedNames.has(name)) continue;
    if (!usedNames.has(name)) {
      throw unusedFile(
        file,
        'No layout and no page includes or imports it, directly or through another partial.',
        'Use it in a template, rename it to the built-in partial that it replaces, or remove it.',
      );
    }
    const line = textOutsideBlocks(root);
    if (line === undefined) continue;
    throw unusedText(
      `line ${line}`,
      file,
      'Templates import only the macros of this partial. Text outside of them is not shown.',
      'Move it into a macro, or remove it.',
    );
  }
}

/**
 * Checks every template before anything is fetched. Otherwise errors would be found after pictures were processed.
 *
 * @throws {AppError} the error of a template, with file and line.
 * @throws {ConfigError} a file of a theme has no effect, or lacks a part that other templates use.
 */
export function checkTemplates(theme: Pick<Theme, 'templates' | 'folder'>): void {
  const { folder } = theme;
  const environment = templateEnvironment(theme);
  const templates = new Map<string, Template>();
  try {
    for (const [name, file] of theme.templates) {
      environment.getTemplate(name, true);
      const isInTheme = folder !== undefined && file.startsWith(folder + path.sep);
      templates.set(name, { name, file, isInTheme, root: readTree(file) });
    }
    // Errors of the theme first: built-in templates may fail because of them.
    const inOrder = [...templates.values()].sort(
      (a, b) => Number(b.isInTheme) - Number(a.isInTheme),
    );
    for (const template of inOrder) {
      checkNames(template, templates, environment as unknown as Functions);
      checkCircle(template, templates);
    }
    for (const template of templates.values()) checkBlocks(template, templates);
  } catch (cause) {
    throw cause instanceof ConfigError ? cause : renderError(cause, TEMPLATES, folder);
  }
  checkPartials(templates);
}
