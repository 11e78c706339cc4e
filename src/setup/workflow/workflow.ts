import { type WithWorkflow, WORKFLOWS } from './files.ts';
import { githubWorkflow } from './github.ts';
import { gitlabPipeline } from './gitlab.ts';
import type { Wanted } from './text.ts';

/** A project's workflow file, with the text that this version writes. */
export function workflowOf(ci: WithWorkflow, wanted: Wanted): { file: string; text: string } {
  const lines = ci === 'github' ? githubWorkflow(wanted) : gitlabPipeline(wanted);
  return { file: WORKFLOWS[ci].file, text: `${lines.join('\n')}\n` };
}

/** Names of the keys that dealers use, each once. */
export const keyNames = (dealers: readonly { apiKeyEnv: string }[]): string[] => [
  ...new Set(dealers.map(({ apiKeyEnv }) => apiKeyEnv)),
];
