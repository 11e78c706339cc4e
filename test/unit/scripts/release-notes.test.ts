import { expect, it } from 'vitest';
import { releaseNotes } from '../../../scripts/commands/release-notes.ts';

const CHANGELOG = `# Changelog

## [Unreleased]

- Not yet.

## [1.3.0] - 2026-11-30

### Added

- A thing.

## [1.2.0] - 2026-10-01

- Another.

## [1.1.0]

`;
const at = (version: string) => ({
  versions: { 'package.json': version, 'create/package.json': version },
  changelog: CHANGELOG,
});

it('contain only the section of the version, without its heading', () => {
  expect(releaseNotes('v1.3.0', at('1.3.0'))).toBe('### Added\n\n- A thing.');
  expect(releaseNotes('v1.2.0', at('1.2.0'))).toBe('- Another.');
});

it.each([
  ['no tag', '', at('1.3.0'), 'The tag is not a version.'],
  ['a tag without its letter', '1.3.0', at('1.3.0'), 'The tag is not a version.'],
  ['the tag of a major version', 'v1', at('1.3.0'), 'The tag is not a version.'],
  ['another version', 'v1.2.0', at('1.3.0'), 'package.json has version 1.3.0'],
  [
    'another version of one package',
    'v1.3.0',
    { ...at('1.3.0'), versions: { 'package.json': '1.3.0', 'create/package.json': '1.2.0' } },
    'create/package.json has version 1.2.0',
  ],
  ['a version that the changelog does not have', 'v2.0.0', at('2.0.0'), 'no section for 2.0.0'],
  ['the beginning of an existing version', 'v1.3.00', at('1.3.00'), 'no section for 1.3.00'],
  ['a version without notes', 'v1.1.0', at('1.1.0'), 'has an empty section for 1.1.0'],
])('refuses %s', (_, tag, given, text) => {
  expect(() => releaseNotes(tag, given)).toThrow(
    expect.objectContaining({ code: 'release-disagrees', message: expect.stringContaining(text) }),
  );
});
