interface Rule {
  pattern: RegExp;
  headers: [name: string, value: string][];
}

/** A pattern of `_headers`: `*` is any text, `:name` any text without a slash. */
function patternOf(path: string): RegExp {
  const source = path
    .split(/(\*|:[A-Za-z]\w*)/)
    .map((part, index) => {
      if (index % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      return part === '*' ? '.*' : '[^/]+';
    })
    .join('');
  return new RegExp(`^${source}$`);
}

/** Rules of a `_headers` file, as Cloudflare and Netlify read it. Comments begin with `#`. */
function parse(text: string): Rule[] {
  const rules: Rule[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const colon = line.indexOf(':');
    if (/^\s/.test(line) && colon > 0) {
      rules.at(-1)?.headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
    } else {
      rules.push({ pattern: patternOf(line.trim()), headers: [] });
    }
  }
  return rules;
}

/**
 * The headers of a path in a `_headers` file. All matching rules apply. Values of the same name are joined by
 * commas (https://developers.cloudflare.com/pages/configuration/headers/).
 */
export function headersFor(text: string, path: string): Headers {
  const rules = parse(text).filter(({ pattern }) => pattern.test(path));
  return new Headers(rules.flatMap(({ headers }) => headers));
}
