import type { OnLoadResult } from 'esbuild';

/** The parts of a style sheet in which brackets matter: comments, URLs, functions and texts. */
const CSS_TOKEN =
  /\/\*.*?\*\/|url\(\s*[^"'\s)][^)]*\)|[\w-]*\(|\)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/gis;

/** Writes the texts in `image-set()` as `url()`, because esbuild does not recognise them as names of files. */
function withUrls(css: string): string {
  const open: string[] = [];
  return css.replace(CSS_TOKEN, (token) => {
    if (token === ')') open.pop();
    else if (token.endsWith('(')) open.push(token);
    const isName = /^["']/.test(token) && /^(?:-webkit-)?image-set\($/i.test(open.at(-1) ?? '');
    return isName ? `url(${token})` : token;
  });
}

/** Declarations that browsers skip without a message, and that esbuild accepts. Selectors end at a brace. */
const CSS_MISTAKES: readonly [RegExp, string][] = [
  [/#(?!(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})(?![\w-]))[\w-]*(?=[^{}]*[;}])/i, 'is not a colour'],
  [/(?<=:\s*[^\s;{}][^;{}]*\n\s*)[\w-]+(?=\s*:[^;{}]*[;}])/, 'follows a line without ";"'],
];

/** A style sheet for esbuild, or the first mistake in it. @param name relative to the assets. */
export function loadStyleSheet(name: string, text: string): OnLoadResult {
  const plain = text.replace(CSS_TOKEN, (token) =>
    /^[-\w]*\($|^\)/.test(token) ? token : token.replace(/[^\n]/g, ' '),
  );
  for (const [pattern, why] of CSS_MISTAKES) {
    const found = pattern.exec(plain);
    if (!found) continue;
    const line = plain.slice(0, found.index).split('\n').length;
    return { errors: [{ text: `${found[0]} ${why}`, location: { file: name, line } }] };
  }
  return { contents: withUrls(text), loader: 'css' };
}
