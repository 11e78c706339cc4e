/**
 * Corrects paths in texts of the published package. In a project, `docs/doctor.md` is
 * `node_modules/vehicle-media-site/docs/doctor.md`.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A text with the paths of pages as seen from a project. */
export const namedFromProject = (text: string, name: string): string =>
  text.replace(/(?<![\w./-])docs\/(?=[\w-]+\.md\b)/g, `node_modules/${name}/docs/`);

/**
 * A Markdown page without links to unpublished files. Their text remains.
 *
 * @param page its path in the package, with slashes.
 * @param exists whether a path is in the package.
 */
function withoutDeadLinks(text: string, page: string, exists: (file: string) => boolean): string {
  return text.replace(
    /!?\[([^\]]*)\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g,
    (link, words: string, target: string) =>
      exists(path.posix.join(path.posix.dirname(page), target)) ? link : words,
  );
}

/** Corrects the texts of a package for projects that install it. */
export async function rewriteTexts(output: string, name: string) {
  const exists = (file: string) => existsSync(path.join(output, file));
  for (const entry of await readdir(output, { recursive: true })) {
    const rewrite = /\.md$/.test(entry)
      ? (text: string) => withoutDeadLinks(text, entry.split(path.sep).join('/'), exists)
      : (text: string) => namedFromProject(text, name);
    if (!/\.(?:md|js|ts|json|yml|njk)$/.test(entry)) continue;
    const file = path.join(output, entry);
    const text = await readFile(file, 'utf8');
    const newText = rewrite(text);
    if (newText !== text) await writeFile(file, newText);
  }
}
