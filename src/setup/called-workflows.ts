import { readFileSync } from 'node:fs';
import path from 'node:path';
import { OWN_VERSION, PACKAGE_ROOT } from '../lib/own-package.ts';

/** The workflows of this repository, as projects call them. */

/** Where each CI looks for a project's own file. */
export const WORKFLOWS = {
  github: { file: '.github/workflows/rebuild.yml' },
  gitlab: { file: '.gitlab-ci.yml' },
} as const;

/** Owner and name of this program's repository on GitHub, from its manifest. */
export function ownRepository(): string {
  const { repository } = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  const [, found] = /github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(repository.url) ?? [];
  if (found === undefined) throw new Error(`package.json: ${repository.url} is not on GitHub`);
  return found;
}

/** The tag that stands for a major version of this program, such as `v1`. */
export const majorTag = (version = OWN_VERSION): string => `v${version.split('.')[0]}`;

/** Address of the pipeline that projects on GitLab include. */
export const gitlabTemplate = (): string =>
  `https://raw.githubusercontent.com/${ownRepository()}/${majorTag()}/ci/gitlab.yml`;
