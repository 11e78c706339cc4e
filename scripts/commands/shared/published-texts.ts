/**
 * Texts of the published package: what they name lies elsewhere than in the repository. Below a project,
 * `docs/doctor.md` is `node_modules/vehicle-media-site/docs/doctor.md`; what is not published is in the
 * repository alone.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The same text for who reads it in a project: pages are named from there. */
export const namedFromProject = (text: string, name: string): string =>
  text.replace(/(?<![\w./-])docs\/(?=[\w-]+\.md\b)/g, `node_modules/${name}/docs/`);

/**
 * A page in Markdown with links to the repository where they lead to what is not published.
 *
 * @param page its path in the package, with slashes.
 * @param address of the repository, without a slash at the end.
 * @param exists whether a path lies in the package.
 */
export function linkedToRepository(
  text: string,
  page: string,
  address: string,
  exists: (file: string) => boolean,
): string {
  return text.replace(
    /(!?)(\[[^\]]*\]\()([^)\s#:]+)(?=[)#])/g,
    (whole, image: string, before: string, target: string) => {
      const file = path.posix.join(path.posix.dirname(page), target);
      if (exists(file)) return whole;
      return `${image}${before}${address}/${image === '' ? 'blob' : 'raw'}/main/${file}`;
    },
  );
}

/** Makes the texts of a package true where it is installed. @param repository as package.json names it. */
export async function rewriteTexts(output: string, name: string, repository: string) {
  const address = repository.replace(/^git\+|\.git$/g, '');
  const exists = (file: string) => existsSync(path.join(output, file));
  for (const entry of await readdir(output, { recursive: true })) {
    const rewritten = /\.md$/.test(entry)
      ? (text: string) => linkedToRepository(text, entry.split(path.sep).join('/'), address, exists)
      : (text: string) => namedFromProject(text, name);
    if (!/\.(?:md|js|ts|json|yml)$/.test(entry)) continue;
    const file = path.join(output, entry);
    const text = await readFile(file, 'utf8');
    const now = rewritten(text);
    if (now !== text) await writeFile(file, now);
  }
}
