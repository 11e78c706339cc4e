/** The commands among the scripts of a project's package.json. */
import { scriptOf, takenScripts } from '../workflow/project.ts';
import { readIfFile } from './env-file.ts';

export interface ScriptsPlan {
  /** The whole text of package.json. */
  text: string;
  added: string[];
  /** Names that the project has for something else. */
  taken: string[];
}

/**
 * A project's package.json with a script for each command whose name is free. All else stays as it is,
 * the indentation included.
 *
 * @returns undefined where there is no package.json that can be read.
 */
export async function planScripts(
  file: string,
  names: readonly string[],
): Promise<ScriptsPlan | undefined> {
  const former = await readIfFile(file);
  if (former === undefined) return undefined;
  let manifest: { scripts?: Record<string, string> };
  try {
    manifest = JSON.parse(former);
  } catch {
    // Whoever installs is told by the package manager.
    return undefined;
  }
  const scripts = manifest.scripts ?? {};
  const added = names.filter((name) => scripts[name] === undefined);
  const taken = takenScripts(scripts, names);
  if (added.length === 0) return { text: former, added, taken };
  manifest.scripts = {
    ...scripts,
    ...Object.fromEntries(added.map((name) => [name, scriptOf(name)])),
  };
  const [, indent = '  '] = /^\{\r?\n([ \t]+)/.exec(former) ?? [];
  const end = /\r?\n$/.exec(former)?.[0] ?? '';
  const text = JSON.stringify(manifest, null, indent) + end;
  return { text: former.includes('\r\n') ? text.replace(/\r?\n/g, '\r\n') : text, added, taken };
}
