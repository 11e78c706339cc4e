import { describe, expect, it } from 'vitest';
import {
  linkedToRepository,
  namedFromProject,
} from '../../../scripts/commands/shared/published-texts.ts';

describe('texts of the published package', () => {
  it.each([
    ['See docs/hosting.md.', 'See node_modules/site/docs/hosting.md.'],
    ['(docs/theming.md#words)', '(node_modules/site/docs/theming.md#words)'],
    // What names its place already, and what is no page.
    ['https://example.org/docs/hosting.md', 'https://example.org/docs/hosting.md'],
    ['node_modules/site/docs/hosting.md', 'node_modules/site/docs/hosting.md'],
    ['docs/schema', 'docs/schema'],
  ])('name pages from the project: %s', (text, expected) => {
    expect(namedFromProject(text, 'site')).toBe(expected);
  });

  const linked = (text: string, page: string) =>
    linkedToRepository(text, page, 'https://example.org/r', (file) => file === 'docs/scale.md');

  it.each([
    ['README.md', '[x](docs/scale.md#parts)', '[x](docs/scale.md#parts)'],
    ['README.md', '[x](docs/bench.md#a)', '[x](https://example.org/r/blob/main/docs/bench.md#a)'],
    ['README.md', '![](docs/a.webp)', '![](https://example.org/r/raw/main/docs/a.webp)'],
    [
      'docs/a.md',
      '[x](scale.md), [y](../B.md)',
      '[x](scale.md), [y](https://example.org/r/blob/main/B.md)',
    ],
    ['README.md', '[x](https://else.example/a) [y](#z)', '[x](https://else.example/a) [y](#z)'],
  ])(
    'of %s link to the repository where nothing lies in the package: %s',
    (page, text, expected) => {
      expect(linked(text, page)).toBe(expected);
    },
  );
});
