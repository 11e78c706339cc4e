/** The file that each CI reads from a project. */
export const WORKFLOWS = {
  github: { file: '.github/workflows/rebuild.yml' },
  gitlab: { file: '.gitlab-ci.yml' },
} as const;

export type WithWorkflow = keyof typeof WORKFLOWS;

/** The host that a workflow deploys to: the value of `DEPLOY_TO` in its text. */
export const hostIn = (text: string): string | undefined => /^ +DEPLOY_TO: (\S+)/m.exec(text)?.[1];
