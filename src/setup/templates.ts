import { readFileSync } from 'node:fs';
import path from 'node:path';
import nunjucks from 'nunjucks';

function getSource(name: string): nunjucks.LoaderSource {
  const file = path.join(import.meta.dirname, 'templates', name);
  // git may have changed the line breaks.
  const src = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  return { src, path: file, noCache: false };
}

/** Uses these brackets because the files that init writes contain expressions of GitHub, shells and scripts. */
const environment = new nunjucks.Environment(
  { getSource },
  {
    autoescape: false,
    throwOnUndefined: true,
    trimBlocks: true,
    lstripBlocks: true,
    tags: {
      blockStart: '<%',
      blockEnd: '%>',
      variableStart: '<<',
      variableEnd: '>>',
      commentStart: '<#',
      commentEnd: '#>',
    },
  },
);

/** Renders a file in `templates/` with values. */
export const fill = (name: string, values: object): string =>
  environment.render(`${name}.njk`, values);
