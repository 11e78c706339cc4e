import { expect, it } from 'vitest';
import { formerSettings } from '../../../src/config/former-settings.ts';
import { renameSettings } from '../../../src/setup/upgrade/source-edit.ts';

const versions = { kind: 'setting', since: '2.0.0', until: '3.0.0' } as const;
const CHANGES = [
  { ...versions, from: 'site.perPage', to: 'site.size' },
  { ...versions, from: 'site.colour', to: 'brand.main.colour' },
  { ...versions, from: 'site.crop', to: 'media.crop' },
  { ...versions, from: 'dealers[].hue', to: 'dealers[].colour' },
  { ...versions, from: 'site.gone' },
];

/** Renames what a value uses in a text that says that value. */
const renamed = (text: string, raw: unknown) => renameSettings(text, formerSettings(raw, CHANGES));

it.each([
  [
    'beside it, with types and comments around',
    `export default defineConfig({
  site: { title: 'x' as string, perPage /* n */: 4 } satisfies Site, // the site
});`,
    { site: { perPage: 4 } },
    `export default defineConfig({
  site: { title: 'x' as string, size /* n */: 4 } satisfies Site, // the site
});`,
  ],
  [
    'in each of a list, in quotes, and in short form',
    "const hue = 'red';\nexport default { dealers: [{ 'hue': 'blue' }, { hue }, {}] };",
    { dealers: [{ hue: 'blue' }, { hue: 'red' }, {}] },
    "const hue = 'red';\nexport default { dealers: [{ 'colour': 'blue' }, { colour: hue }, {}] };",
  ],
  [
    'into another object, with its comments',
    `export default {
  site: {
    title: 'x', // said
    // What cards show:
    // the middle.
    crop: 'centre', // or attention
    url: 'y',
  },
  media: {
    // Hosts.
    hosts: [],
  },
};`,
    { site: { crop: 'centre' } },
    `export default {
  site: {
    title: 'x', // said
    url: 'y',
  },
  media: {
    // What cards show:
    // the middle.
    crop: 'centre', // or attention
    // Hosts.
    hosts: [],
  },
};`,
  ],
  [
    'into objects that are not there yet',
    "export default {\n  site: {\n    colour: 'red'\n  },\n};",
    { site: { colour: 'red' } },
    "export default {\n  brand: { main: { colour: 'red', }, },\n  site: {\n  },\n};",
  ],
  [
    'between objects of one line',
    "export default { site: { title: 'x', crop: 'centre' }, media: {} };",
    { site: { crop: 'centre' } },
    "export default { site: { title: 'x' }, media: { crop: 'centre',} };",
  ],
])('writes new names %s', (_, text, raw, expected) => {
  expect(renamed(text, raw)).toMatchObject({ text: expected, left: [] });
});

it.each([
  [
    'are spread',
    'export default { site: {\n ...shared } };',
    { site: { perPage: 1 } },
    2,
    'settings are spread into the object',
  ],
  [
    'stand in another object',
    'const site = {};\nexport default {\n\n site };',
    { site: { perPage: 1 } },
    4,
    'the value of site does not stand here',
  ],
  [
    'are computed',
    "export default { site: { ['per' + 'Page']: 1 } };",
    { site: { perPage: 1 } },
    1,
    'the name of a setting is computed',
  ],
  [
    'are made elsewhere',
    'const all = make();\nexport default all;',
    { site: { perPage: 1 } },
    2,
    'the settings do not stand in the default export itself',
  ],
  [
    'are gone',
    'export default { site: { gone: 1 } };',
    { site: { gone: 1 } },
    undefined,
    'nothing has taken its place, so take it out if you agree',
  ],
  [
    'have a comment that would be lost',
    "export default { site: { crop: 'centre', /* why */ title: 'x' }, media: {} };",
    { site: { crop: 'centre' } },
    1,
    'a comment stands in the way',
  ],
])('leaves settings to a person that %s, and says where', (_, text, raw, line, why) => {
  expect(renamed(text, raw)).toMatchObject({ text, renamed: [], left: [{ line, why }] });
});
