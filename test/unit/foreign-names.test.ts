import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * The names of this program on GitHub and npm are not registered. An attacker who registers one can run code
 * in every project that refers to it, with the secrets of that project.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');
const NAME = '(?:create-)?vehicle-media-site';
const OPTIONS = String.raw`(?:-\S+ )*`;

/** A repository or an action. */
const GITHUB = new RegExp(
  [
    String.raw`${NAME}/${NAME}\b`,
    String.raw`github(?:usercontent)?\.com[/:]${NAME}\b`,
    String.raw`\b${NAME}(?:/[\w./-]+)?@(?:v\d|main\b)`,
  ].join('|'),
);

/** A package of a registry: a command that would download it, or its page. */
const REGISTRY = new RegExp(
  [
    String.raw`\b(?:npm|pnpm|yarn) (?:create|init) ${OPTIONS}${NAME}\b`,
    String.raw`\b(?:npm (?:i|add|install|exec)|(?:pnpm|yarn) (?:add|dlx)|pnpx|bunx) ${OPTIONS}${NAME}\b`,
    // With --no, npx only runs an installed program.
    String.raw`\bnpx (?!--no )${OPTIONS}${NAME}\b`,
    String.raw`npmjs\.com/package/${NAME}\b`,
  ].join('|'),
);

/** Files that may name packages of a registry, with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  '.github/workflows/release.yml': 'publishes a future release',
  'create/README.md': 'is published with a future release',
  'create/create.js': 'is the command of a future release',
};

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && existsSync(path.join(ROOT, file)));

const linesWith = (pattern: RegExp, files: readonly string[]): string[] =>
  files.flatMap((file) =>
    readFileSync(path.join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  );

describe('names that belong to others', () => {
  it.each<[RegExp, string, boolean]>([
    [GITHUB, 'uses: vehicle-media-site/vehicle-media-site@v0', true],
    [GITHUB, 'uses: vehicle-media-site/site/.github/workflows/site.yml@v1', true],
    [GITHUB, 'https://raw.githubusercontent.com/vehicle-media-site/x/v0/ci/gitlab.yml', true],
    [GITHUB, "import { defineConfig } from 'vehicle-media-site/config';", false],
    [GITHUB, 'node_modules/vehicle-media-site/docs/hosting.md', false],
    [REGISTRY, 'npm create vehicle-media-site@latest my-site', true],
    [REGISTRY, 'pnpm create vehicle-media-site', true],
    [REGISTRY, 'npm install --save-exact vehicle-media-site@latest', true],
    [REGISTRY, 'npx --yes vehicle-media-site init', true],
    [REGISTRY, '[x](https://www.npmjs.com/package/vehicle-media-site)', true],
    [REGISTRY, 'npx --no -- vehicle-media-site build', false],
    [REGISTRY, 'node_modules/.bin/vehicle-media-site build', false],
    [REGISTRY, 'npm install ./vendor/vehicle-media-site-0.1.0.tgz', false],
  ])('are recognised by %s: %s', (form, line, expected) => {
    expect(form.test(line)).toBe(expected);
  });

  it('are not used as a repository or an action in any file', () => {
    const files = tracked.filter((file) => file !== 'test/unit/foreign-names.test.ts');
    expect(files.length).toBeGreaterThan(1000);
    expect(linesWith(GITHUB, files)).toEqual([]);
  });

  it('are not used as a package to download in any file', () => {
    // Tests use a separate registry.
    const files = tracked.filter((file) => !file.startsWith('test/') && !(file in ALLOWED));
    expect(linesWith(REGISTRY, files)).toEqual([]);
  });
});
