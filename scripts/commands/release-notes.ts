import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError, EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { PACKAGE_ROOT } from '../../src/lib/own-package.ts';

/** Manifests that are published, from the repository's folder. */
const MANIFESTS = ['package.json', 'create/package.json'];

/** The tag of a release, which may be a pre-release, without build metadata. */
const TAG = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/;

const disagreement = (what: string, why: string, fix: string): ConfigError =>
  new ConfigError({ code: 'release-disagrees', what, why, fix });

/**
 * The notes of a release, if tag, manifests and changelog agree.
 *
 * @param versions of the manifests, by file.
 * @throws {ConfigError} they do not agree.
 */
export function releaseNotes(
  tag: string,
  { versions, changelog }: { versions: Readonly<Record<string, string>>; changelog: string },
): string {
  const [, version] = TAG.exec(tag) ?? [];
  if (version === undefined) {
    throw disagreement(
      'The tag is not a version.',
      'Tags of releases are like v1.2.3.',
      'Name one: npm run --silent release-notes -- v1.2.3',
    );
  }
  for (const [file, fileVersion] of Object.entries(versions)) {
    if (fileVersion === version) continue;
    throw disagreement(
      `${file} has version ${fileVersion}, but the tag is for ${version}.`,
      'A package is published with the version of its manifest, and only once per version.',
      'Correct the version in the file, commit it, and set the tag on that commit.',
    );
  }
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  // Without its heading.
  const notes = section?.split('\n').slice(1).join('\n').trim();
  if (!notes) {
    throw disagreement(
      `CHANGELOG.md has ${notes === undefined ? 'no section' : 'an empty section'} for ${version}.`,
      'Users read the changes there before they update.',
      `Move the text below [Unreleased] to a heading "## [${version}]".`,
    );
  }
  return notes;
}

export const run: Run = async ({ positionals: [tag = ''] }, { stdout }) => {
  const readText = (file: string) => readFile(path.join(PACKAGE_ROOT, file), 'utf8');
  const versions = await Promise.all(
    MANIFESTS.map(async (file) => [file, JSON.parse(await readText(file)).version] as const),
  );
  const changelog = await readText('CHANGELOG.md');
  stdout.write(`${releaseNotes(tag, { versions: Object.fromEntries(versions), changelog })}\n`);
  return EXIT.published;
};
