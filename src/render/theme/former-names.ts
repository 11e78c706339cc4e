import { readFile } from 'node:fs/promises';
import { became, CHANGES, type Change, changeOf } from '../../config/changes.ts';
import { filesBelow, folderExists } from './folder.ts';
import { type TemplateFunctions, tagsOf } from './functions.ts';
import type { Node } from './node.ts';
import { nodesOf, parseTemplate, referencesOf, resolvedName } from './syntax.ts';

/** A former name that a template uses. */
export interface FormerName {
  /** As it is written there. */
  name: string;
  change: Change;
  /** From 1. */
  line: number;
}

/** A value as a path, such as `site.words.share`; what it is read from may be unknown. */
function pathOf(node: Node): string {
  if (node.typename === 'Symbol') return String(node.value);
  if (node.typename !== 'LookupVal') return '*';
  const { typename, value } = node.val as Node;
  return `${pathOf(node.target as Node)}.${typename === 'Literal' ? String(value) : '*'}`;
}

/** Names of values that changed, as templates write them. */
function isOf({ kind, from }: Change, path: string): boolean {
  if (kind === 'word') return path === `site.words.${from}`;
  if (kind !== 'name') return false;
  return from.startsWith('*.') ? path.endsWith(from.slice(1)) : path === from;
}

/**
 * Which former names a template uses: of values, words and other templates.
 *
 * @param name its own name, such as `layouts/vehicle.njk`.
 */
export function* formerNames(
  root: Node,
  name: string,
  changes: readonly Change[] = CHANGES,
): Iterable<FormerName> {
  for (const node of nodesOf(root)) {
    if (node.typename !== 'LookupVal') continue;
    const path = pathOf(node);
    const change = changes.find((one) => isOf(one, path));
    if (change) yield { name: path, change, line: node.lineno + 1 };
  }
  for (const { name: wanted, line } of referencesOf(root)) {
    const change =
      wanted === undefined ? undefined : changeOf('template', resolvedName(name, wanted), changes);
    if (change) yield { name: wanted ?? '', change, line };
  }
}

/** What became of a former name that a template uses. */
export const formerNameText = ({ name, change }: FormerName): string => `${name} ${became(change)}`;

/** Which former words a `words.json` says, in the same way. */
function* formerWords(text: string, changes: readonly Change[] = CHANGES): Iterable<FormerName> {
  const content: unknown = JSON.parse(text);
  for (const [language, words] of Object.entries(content ?? {})) {
    for (const key of Object.keys(Object(words))) {
      const change = changeOf('word', key, changes);
      const line = text.slice(0, text.indexOf(`"${key}"`)).split('\n').length;
      if (change) yield { name: `${language}.${key}`, change, line };
    }
  }
}

/** The same of all templates and words of a theme's folder. One that cannot be read is for a build to tell. */
export async function namesOfTheme(
  folder: string,
  functions: TemplateFunctions,
): Promise<(FormerName & { file: string })[]> {
  if (!(await folderExists(folder))) return [];
  const found: (FormerName & { file: string })[] = [];
  for (const [name, file] of await filesBelow(folder)) {
    const text = await readFile(file, 'utf8');
    try {
      const names =
        name === 'words.json'
          ? formerWords(text)
          : name.endsWith('.njk')
            ? formerNames(parseTemplate(text, tagsOf(functions)), name)
            : [];
      for (const one of names) found.push({ ...one, file });
    } catch {}
  }
  return found;
}
