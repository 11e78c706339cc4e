/**
 * Texts of the published package: what they name lies elsewhere than in the repository. Below a project,
 * `docs/doctor.md` is `node_modules/vehicle-media-site/docs/doctor.md`.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The same text for who reads it in a project: pages are named from there. */
export const namedFromProject = (text: string, name: string): string =>
  text.replace(/(?<![\w./-])docs\/(?=[\w-]+\.md\b)/g, `node_modules/${name}/docs/`);

/**
 * A page in Markdown without links to files that are not published: their text stays.
 *
 * @param page its path in the package, with slashes.
 * @param exists whether a path lies in the package.
 */
export function withoutDeadLinks(
  text: string,
  page: string,
  exists: (file: string) => boolean,
): string {
  return text.replace(
    /!?\[([^\]]*)\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g,
    (whole, words: string, target: string) =>
      exists(path.posix.join(path.posix.dirname(page), target)) ? whole : words,
  );
}

/** Makes the texts of a package true where it is installed. */
export async function rewriteTexts(output: string, name: string) {
  const exists = (file: string) => existsSync(path.join(output, file));
  for (const entry of await readdir(output, { recursive: true })) {
    const rewritten = /\.md$/.test(entry)
      ? (text: string) => withoutDeadLinks(text, entry.split(path.sep).join('/'), exists)
      : (text: string) => namedFromProject(text, name);
    if (!/\.(?:md|js|ts|json|yml|njk)$/.test(entry)) continue;
    const file = path.join(output, entry);
    const text = await readFile(file, 'utf8');
    const now = rewritten(text);
    if (now !== text) await writeFile(file, now);
  }
}
