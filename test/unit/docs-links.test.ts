import { existsSync, globSync, readFileSync } from 'node:fs';
import { access, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Page, readDocumentation, readPage } from '../support/documentation.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Broken links of these pages: `file: address: fault`. */
async function faultsOf(pages: readonly Page[]): Promise<string[]> {
  const anchors = new Map(pages.map((page) => [page.file, page.anchors]));
  const faultOf = async (file: string, link: string): Promise<string | undefined> => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) {
      const url = URL.canParse(link) ? new URL(link) : undefined;
      if (url?.protocol === 'mailto:') return undefined;
      const good = url?.protocol === 'https:' && url.hostname.includes('.') && !url.username;
      return good ? undefined : 'no well-formed https address';
    }
    const [place = '', anchor] = link.split('#');
    const target = place === '' ? file : path.join(path.dirname(file), decodeURI(place));
    if (target.startsWith('..') || path.isAbsolute(place)) return 'leads out of the project';
    const exists = await access(path.join(ROOT, target)).then(
      () => true,
      () => false,
    );
    if (!exists) return 'no such file';
    if (anchor === undefined) return undefined;
    return anchors.get(target)?.has(anchor) ? undefined : 'no such heading';
  };
  const faults = pages.flatMap(({ file, links }) =>
    links.map(async (link) => {
      const fault = await faultOf(file, link);
      return fault === undefined ? [] : [`${file}: ${link}: ${fault}`];
    }),
  );
  return (await Promise.all(faults)).flat();
}

describe('links and commands of the documentation', () => {
  it('have valid targets', async () => {
    const pages = await readDocumentation();
    expect(pages.flatMap(({ links }) => links).length).toBeGreaterThan(50);
    expect(await faultsOf(pages)).toEqual([]);
  });

  it('name only files of the code that exist', async () => {
    const pages = ['docs/architecture.md', 'docs/reliability.md', 'CONTRIBUTING.md'];
    for (const name of await readdir('docs/decisions')) pages.push(`docs/decisions/${name}`);
    const below = (await readdir('src')).filter((name) => !name.includes('.')).join('|');
    const form = new RegExp(
      `\`((?:src|test|scripts|templates|bench|(${below}))/[\\w./*-]+)\``,
      'g',
    );
    const named = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(form)].map(([, file = '', isBelow]) => ({
        page,
        file: isBelow ? `src/${file}` : file,
      })),
    );
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter(({ file }) => globSync(file).length === 0)).toEqual([]);
  });

  it('name only proofs of security that exist', async () => {
    const folders = (await readdir('test')).join('|');
    const text = await readFile('docs/security.md', 'utf8');
    const proofs = [...text.matchAll(new RegExp(`\`((?:${folders})/[\\w/-]+)\``, 'g'))].map(
      ([, name = '']) => `test/${name}.test.ts`,
    );
    expect(proofs.length).toBeGreaterThan(40);
    expect(proofs.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  it('show every picture of docs/images, at most 3 MB in total', async () => {
    const shown = (await readDocumentation()).flatMap(({ file, links }) =>
      links.map((link) => path.join(path.dirname(file), link)),
    );
    const folder = path.join(ROOT, 'docs/images');
    const pictures = await readdir(folder, { recursive: true });
    expect(pictures.filter((name) => !shown.includes(`docs/images/${name}`))).toEqual([]);
    const sizes = pictures.map(async (name) => (await stat(path.join(folder, name))).size);
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeLessThanOrEqual(3_000_000);
  });

  it.each([
    ['[a](docs/nowhere.md)', 'no such file'],
    ['![a](docs/images/nowhere.webp)', 'no such file'],
    ['<img src="docs/nowhere.webp">', 'no such file'],
    ['[a](#nowhere)', 'no such heading'],
    ['[a](http://cars.example/)', 'no well-formed https address'],
    ['[a](https://cars)', 'no well-formed https address'],
    ['[a](../outside.md)', 'leads out of the project'],
  ])('%s exists', async (text, fault) => {
    const [found] = await faultsOf([readPage('README.md', `# A page\n\n${text}\n`)]);
    expect(found).toContain(fault);
  });

  it('name no unreleased package', async () => {
    const released = /\b(?:create|npx|add|install(?: --\S+)*) vehicle-media-site\b/;
    const found = (await readDocumentation()).flatMap(({ file, commands }) =>
      commands.filter((command) => released.test(command)).map((command) => `${file}: ${command}`),
    );
    expect(found).toEqual(['create/README.md: npm create vehicle-media-site@latest my-site']);
  });
});
