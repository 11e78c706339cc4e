import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError, EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { PACKAGE_ROOT } from '../../src/lib/own-package.ts';

/** Manifests that are published, from the repository's folder. */
const MANIFESTS = ['package.json', 'create/package.json'];

/** A version that is released: no build metadata, and of a pre-release its name. */
const TAG = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/;

const wrong = (what: string, why: string, fix: string): ConfigError =>
  new ConfigError({ code: 'release-disagrees', what, why, fix });

/**
 * The section of a changelog for a version: what stands below its heading, without it.
 *
 * @returns undefined where there is no such section.
 */
export function changelogSection(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((one) => one.startsWith(`[${version}]`));
  return found?.split('\n').slice(1).join('\n').trim();
}

/**
 * The notes of a release, where tag, manifests and changelog agree.
 *
 * @param versions of the manifests, by file.
 * @throws {ConfigError} they do not.
 */
export function releaseNotes(
  tag: string,
  { versions, changelog }: { versions: Readonly<Record<string, string>>; changelog: string },
): string {
  const [, version] = TAG.exec(tag) ?? [];
  if (version === undefined) {
    throw wrong(
      'The tag is no version.',
      'Tags of releases are like v1.2.3.',
      'Name one: npm run --silent release-notes -- v1.2.3',
    );
  }
  for (const [file, found] of Object.entries(versions)) {
    if (found === version) continue;
    throw wrong(
      `${file} is of version ${found}, and the tag says ${version}.`,
      'What is published has the version of its manifest, and each version can be published once.',
      'Write the version there, commit it, and set the tag on that commit.',
    );
  }
  const notes = changelogSection(changelog, version);
  if (!notes) {
    throw wrong(
      `CHANGELOG.md ${notes === undefined ? 'has no section' : 'says nothing'} for ${version}.`,
      'Whoever updates reads there what changed.',
      `Put what stands below [Unreleased] under a heading "## [${version}]".`,
    );
  }
  return notes;
}

export const run: Run = async ({ positionals: [tag = ''] }, { stdout }) => {
  const read = (file: string) => readFile(path.join(PACKAGE_ROOT, file), 'utf8');
  const versions = await Promise.all(
    MANIFESTS.map(async (file) => [file, JSON.parse(await read(file)).version] as const),
  );
  const changelog = await read('CHANGELOG.md');
  stdout.write(`${releaseNotes(tag, { versions: Object.fromEntries(versions), changelog })}\n`);
  return EXIT.published;
};
