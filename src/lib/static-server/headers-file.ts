interface Rule {
  pattern: URLPattern;
  headers: [name: string, value: string][];
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
      rules.push({ pattern: new URLPattern({ pathname: line.trim() }), headers: [] });
    }
  }
  return rules;
}

/**
 * The headers of a path in a `_headers` file. All matching rules apply. Values of the same name are joined by
 * commas (https://developers.cloudflare.com/pages/configuration/headers/).
 */
export function headersFor(text: string, pathname: string): Headers {
  const rules = parse(text).filter(({ pattern }) => pattern.test({ pathname }));
  return new Headers(rules.flatMap(({ headers }) => headers));
}
