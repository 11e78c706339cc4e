import { describe, expect, it } from 'vitest';
import {
  namedFromProject,
  withoutDeadLinks,
} from '../../../scripts/commands/shared/published-texts.ts';

describe('texts of the published package', () => {
  it.each([
    ['See docs/hosting.md.', 'See node_modules/site/docs/hosting.md.'],
    ['(docs/theming.md#words)', '(node_modules/site/docs/theming.md#words)'],
    // Texts with a complete path already, and a path that is not a page.
    ['https://example.org/docs/hosting.md', 'https://example.org/docs/hosting.md'],
    ['node_modules/site/docs/hosting.md', 'node_modules/site/docs/hosting.md'],
    ['docs/schema', 'docs/schema'],
  ])('use valid paths from the project: %s', (text, expected) => {
    expect(namedFromProject(text, 'site')).toBe(expected);
  });

  it.each([
    ['README.md', '[x](docs/scale.md#parts)', '[x](docs/scale.md#parts)'],
    ['README.md', 'See [x](docs/bench.md#a).', 'See x.'],
    ['README.md', '![A page](docs/a.webp)', 'A page'],
    ['docs/a.md', '[x](scale.md), [y](../B.md)', '[x](scale.md), y'],
    ['README.md', '[x](https://else.example/a) [y](#z)', '[x](https://else.example/a) [y](#z)'],
  ])('of %s link only to files in the package: %s', (page, text, expected) => {
    expect(withoutDeadLinks(text, page, (file) => file === 'docs/scale.md')).toBe(expected);
  });
});
