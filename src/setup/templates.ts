import { readFileSync } from 'node:fs';
import path from 'node:path';
import nunjucks from 'nunjucks';

/** Uses these brackets because the files that init writes contain expressions of GitHub, shells and scripts. */
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

/** Renders a file in `templates/` with values. */
export function fill(name: string, values: object): string {
  const file = path.join(import.meta.dirname, 'templates', `${name}.njk`);
  // git may have changed the line breaks.
  return environment.renderString(readFileSync(file, 'utf8').replaceAll('\r\n', '\n'), values);
}
