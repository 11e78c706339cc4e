import { readFileSync } from 'node:fs';
import { OWN_VERSION, packageVersion } from '../../lib/own-package.ts';
import { cachedForProgram } from '../../lib/program-cache.ts';
import { checkTemplates } from './environment.ts';
import type { Theme } from './theme.ts';

/** Raised when templates are looked at in another way. */
const CHECK = 5;

/**
 * Reads every template before anything is fetched, unless the same ones were found to be good before.
 * Compiling all of them takes 40 ms.
 *
 * @throws the template's error, with file and line.
 */
export async function checkTheme(theme: Theme): Promise<void> {
  const check = (): string => {
    checkTemplates(theme);
    return 'good';
  };
  let texts: (readonly unknown[])[];
  try {
    texts = [...theme.templates].map(([name, file]) => [
      name,
      readFileSync(file, 'utf8'),
      // Of ours, no use is asked.
      theme.folder !== undefined && file.startsWith(theme.folder),
    ]);
  } catch {
    // The check reports which one cannot be read.
    check();
    return;
  }
  const versions = [OWN_VERSION, packageVersion('nunjucks')];
  await cachedForProgram(['templates', CHECK, ...versions, texts], check);
}
