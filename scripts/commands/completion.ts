import { ConfigError, EXIT } from '../../src/errors.ts';
import { closest } from '../../src/lib/closest.ts';
import { completionScript, SHELLS } from '../../src/lib/command-line/completion/script.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import type { COMPLETION_OPTIONS } from './definitions/development.ts';
import { COMMANDS } from './index.ts';

export const run: Run<typeof COMPLETION_OPTIONS> = async ({ words: [asked = ''] }, { stdout }) => {
  const shell = SHELLS.find((one) => one === asked);
  if (shell === undefined) {
    const meant = closest(asked, SHELLS);
    throw new ConfigError({
      code: 'argument-shell',
      what: asked === '' ? 'No shell is named.' : 'There is no completion for this shell.',
      why: 'Each shell has a language of its own for it.',
      fix: `${meant === undefined ? '' : `Did you mean ${meant}? `}Use one of: ${SHELLS.join(', ')}.`,
    });
  }
  const options = { program: 'npm', before: ['run', 'run-script'], separator: '--' };
  stdout.write(completionScript(shell, COMMANDS.commands, options));
  return EXIT.published;
};
