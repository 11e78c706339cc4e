import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PACKAGE_ROOT } from '../../lib/own-package.ts';
import { type Answers, minuteOf, SHARED_KEY } from './answers.ts';
import { withPlainBreaks } from './config-file.ts';

/** Where each CI looks for its file, and what ours is made from. */
export const WORKFLOWS = {
  github: { template: 'ci/github.yml', file: '.github/workflows/rebuild.yml' },
  gitlab: { template: 'ci/gitlab.yml', file: '.gitlab-ci.yml' },
} as const;

type WithWorkflow = keyof typeof WORKFLOWS;

/**
 * The file of a CI for some keys and a minute: the template with the time of the schedule and one
 * line per key in place of its own.
 */
function fillWorkflow(template: string, keys: readonly string[], minute: number): string {
  return template
    .replace(/(cron: ['"])\d+ 3 /, (_, start: string) => `${start}${minute} 3 `)
    .replace(/^( *)MEDIA_API_KEY: (.*)$/gm, (_, indent: string, value: string) =>
      keys.map((key) => `${indent}${key}: ${value.replaceAll(SHARED_KEY, key)}`).join('\n'),
    );
}

/** A project's workflow file, and the text that it should have. */
export async function workflowFor(
  ci: WithWorkflow,
  answers: Pick<Answers, 'dealers' | 'url'>,
): Promise<{ file: string; text: string; shipped: string }> {
  const { template, file } = WORKFLOWS[ci];
  const shipped = withPlainBreaks(await readFile(path.join(PACKAGE_ROOT, template), 'utf8'));
  const keys = [...new Set(answers.dealers.map(({ apiKeyEnv }) => apiKeyEnv))];
  return { file, text: fillWorkflow(shipped, keys, minuteOf(answers.url)), shipped };
}
