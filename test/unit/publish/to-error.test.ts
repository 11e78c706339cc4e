import { expect, it } from 'vitest';
import { toError } from '../../../src/publish/outcome/to-error.ts';

it.each([
  'Could not load the "sharp" module using the linux-x64 runtime\nPossible solutions:',
  'The package "@esbuild/linux-x64" could not be found, and is needed by esbuild.',
  "\nYou installed esbuild for another platform than the one you're currently using.",
])('packages of another system are not reported as a bug: %j', (message) => {
  const error = toError(new Error(message));
  expect(error).toMatchObject({ code: 'packages-incomplete', exitCode: 2 });
  expect(error.fix).toContain('npm ci --include=optional');
  expect(toError(new Error('x')).code).toBe('internal');
});
