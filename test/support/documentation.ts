import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';

type Token = ReturnType<MarkdownIt['parse']>[number];

export interface Page {
  /** Below the root of the project, such as `docs/hosting.md`. */
  file: string;
  /** Unmodified URLs of links and pictures. */
  links: string[];
  /** Valid `#…` anchors of this page, generated from headings like on GitHub. */
  anchors: Set<string>;
  /** Commands for readers: lines of `sh` blocks and inline commands. */
  commands: string[];
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const COMMAND = /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|git|gh|sf|aws) ./;

const textOf = (token: Token): string =>
  (token.children ?? []).map(({ content }) => content).join('');

/** The lines of a shell block. A script with a shebang stays in one piece. */
function linesOf(block: string): string[] {
  if (block.startsWith('#!')) return [block.trim()];
  return block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => line.replace(/(?:^|\s)#.*$/, '').split(' && '))
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** One Markdown text as its links, anchors and commands. */
export function readPage(file: string, text: string): Page {
  const page: Page = { file, links: [], anchors: new Set(), commands: [] };
  const slugger = new GithubSlugger();
  const tokens = new MarkdownIt({ html: true }).parse(text, {});
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = tokens[index + 1];
      if (heading) page.anchors.add(slugger.slug(textOf(heading)));
    }
    if (token.type === 'fence' && token.info.trim() === 'sh') {
      page.commands.push(...linesOf(token.content));
    }
    for (const part of [token, ...(token.children ?? [])]) {
      const address = part.attrGet('href') ?? part.attrGet('src');
      if (address !== null) page.links.push(address);
      if (part.type === 'html_block' || part.type === 'html_inline') {
        for (const [, found = ''] of part.content.matchAll(/\b(?:href|src|srcset)="([^"]*)"/g)) {
          page.links.push(found);
        }
      }
      if (part.type === 'code_inline' && COMMAND.test(part.content)) {
        page.commands.push(part.content);
      }
    }
  }
  return page;
}

/** Every Markdown file of the project, in reading order for a newcomer. */
export async function readDocumentation(): Promise<Page[]> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
    { cwd: ROOT },
  );
  const files = stdout.split('\n').filter((file) => file !== '' && !file.startsWith('test/'));
  files.sort((a, b) => Number(b === 'README.md') - Number(a === 'README.md') || (a < b ? -1 : 1));
  return Promise.all(
    files.map(async (file) => readPage(file, await readFile(path.join(ROOT, file), 'utf8'))),
  );
}

/** The section of a host in docs/hosting.md. */
export interface HostSection {
  /** Value of `DEPLOY_TO`. */
  deployTo: string;
  /** Values that the user sets, in the order of its table. */
  names: { name: string; kind: string }[];
  text: string;
}

/** The sections of docs/hosting.md with the values that the user sets. */
export async function hostSections(): Promise<HostSection[]> {
  const text = await readFile(path.join(ROOT, 'docs/hosting.md'), 'utf8');
  const hosts = text.slice(text.indexOf('\n## Hosts\n'), text.indexOf('\n## By hand\n'));
  return hosts
    .split('\n### ')
    .slice(1)
    .map((section) => {
      const rows = [...section.matchAll(/^ *\| `([A-Z0-9_]+)` +\| (\w+) +\| (.*?) *\|$/gm)];
      const inTable = rows.find(([, name]) => name === 'DEPLOY_TO')?.[3];
      const inWords = /`DEPLOY_TO` = `([\w-]+)`/.exec(section)?.[1];
      return {
        deployTo: inTable?.replaceAll('`', '') ?? inWords ?? '',
        names: rows.map(([, name = '', kind = '']) => ({ name, kind })),
        text: section,
      };
    });
}
