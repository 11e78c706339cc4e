import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { COMMANDS, DEVELOPMENT_COMMANDS } from '../../scripts/commands/index.ts';
import { SITE_COMMANDS } from '../../src/cli/commands.ts';
import { type AnyDefinition, isGroup, optionsOf } from '../../src/lib/command-line/definition.ts';
import { parseWith } from '../support/parse-with.ts';

const { scripts, bin } = JSON.parse(await readFile('package.json', 'utf8')) as {
  bin: Record<string, string>;
  scripts: Record<string, string>;
};

/** Every command except groups, with its words. */
const leaves = (definition: AnyDefinition, path: string[] = []): [string, AnyDefinition][] =>
  isGroup(definition)
    ? definition.commands.flatMap((one) => leaves(one, [...path, one.name]))
    : [[path.join(' '), definition]];
const ALL = leaves(COMMANDS);

it('every command is a script of npm', () => {
  const called = Object.values(scripts).flatMap(
    (line) => /scripts\/run\.ts (\S+)/.exec(line)?.[1] ?? [],
  );
  const names = [...SITE_COMMANDS, ...DEVELOPMENT_COMMANDS].map(({ name }) => name as string);
  expect([...new Set(called)].sort()).toEqual(names.sort());
  for (const name of names)
    expect(scripts[name]).toMatch(new RegExp(`scripts/run\\.ts ${name}( &&|$)`));
});

// A file with only functions does nothing when it runs, and exits with 0.
it('scripts/ only contains scripts of npm and the command of the package', async () => {
  const entries = await readdir('scripts', { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const lines = [...Object.values(scripts), ...Object.values(bin)].join(' ');
  const run = [...lines.matchAll(/scripts\/([^\s/]+)(?!\S)/g)].map(([, file]) => file);
  expect(files.sort()).toEqual([...new Set(run)].sort());
});

it.each(ALL)('%s is documented completely, and its function exists', async (_, definition) => {
  if (isGroup(definition)) throw new Error('a group');
  expect(definition.summary).toMatch(/^\S.*[^.]$/);
  expect(definition.description).toMatch(/^[A-Z].*\.$/s);
  for (const [name, option] of Object.entries(optionsOf(definition))) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(option.help, name).toMatch(/^\S.*[^.]$/s);
  }
  // chaos and screenshots load their functions from the tests.
  expect((await definition.load()).run).toBeTypeOf('function');
});

it.each(
  ALL.flatMap(([path, one]) =>
    isGroup(one) ? [] : (one.examples ?? []).map(({ args }) => [path, args, one] as const),
  ),
)('%s accepts its example: %s', async (_, args, definition) => {
  const words = [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? '',
  );
  expect((await parseWith(definition, words, '/')).values).toBeTypeOf('object');
});
