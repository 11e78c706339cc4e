import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packageVersions } from '../../../src/lib/own-package.ts';

it('the key of pages has the version of every package, so an update of any package makes them again', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const versions = Object.entries<string>(dependencies).map(
    ([name, version]) => `${name}@${version.replace(/^npm:.*@/, '')}`,
  );
  expect(packageVersions()).toEqual(versions);
});
