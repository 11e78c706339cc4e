import type { WithWorkflow } from '../workflow/files.ts';
import type { Project } from '../workflow/project.ts';
import { keyNames, workflowOf } from '../workflow/workflow.ts';
import { type Answers, minuteOf } from './answers.ts';

/** A project's workflow file, and the text that it should have. */
export const workflowFor = (
  ci: WithWorkflow,
  { dealers, url, host }: Pick<Answers, 'dealers' | 'url' | 'host'>,
  project: Project,
): { file: string; text: string } =>
  workflowOf(ci, { keys: keyNames(dealers), host, minute: minuteOf(url), project });
