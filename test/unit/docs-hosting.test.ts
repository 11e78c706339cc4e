import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { HOST_IDS, HOSTS } from '../../src/config/hosts.ts';
import { hostSections } from '../support/documentation.ts';

const sections = await hostSections();

it('docs/hosting.md has a section for every host', () => {
  expect(sections.map(({ deployTo }) => deployTo).sort()).toEqual([...HOST_IDS].sort());
});

it.each(HOSTS)('names exactly the variables and secrets of $id', (host) => {
  const { id, secrets = [], variables = [] } = host;
  const { names = [] } = sections.find(({ deployTo }) => deployTo === id) ?? {};
  const kind = (wanted: string) =>
    names
      .filter((one) => one.kind === wanted)
      .flatMap(({ name }) => (name === 'DEPLOY_TO' ? [] : [name]))
      .sort();
  expect(kind('secret')).toEqual([...secrets].sort());
  expect(kind('variable')).toEqual([...variables].sort());
});

it.each(HOSTS)(
  'describes the upload to $id, and whether visitors can see an incomplete deploy',
  async (host) => {
    const page = await readFile('docs/hosting.md', 'utf8');
    const [, sent, atomic] =
      new RegExp(`^\\| [\\w ]+ \\| \`${host.id}\` +\\| ([\\w ]+?) +\\| (yes|no)\\b`, 'm').exec(
        page,
      ) ?? [];
    expect(sent).toBe(host.form === 'thin' ? 'only changes' : 'full site');
    expect(atomic).toBe(host.id === 's3' ? 'no' : 'yes');
  },
);
