import { readFileSync } from 'node:fs';
import path from 'node:path';
import nunjucks from 'nunjucks';

/** The files that init writes have expressions of GitHub, shells and scripts in them, hence these brackets. */
const environment = new nunjucks.Environment(null, {
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
});

/** The text of a file in `templates/`, with values. */
export function fill(name: string, values: object): string {
  const file = path.join(import.meta.dirname, 'templates', `${name}.njk`);
  // git may have made other line breaks of them.
  return environment.renderString(readFileSync(file, 'utf8').replaceAll('\r\n', '\n'), values);
}
