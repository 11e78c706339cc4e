import { globSync } from 'node:fs';

/** The pages of the documentation site in reading order. A path is relative to the repository, without ".md". */
export const SECTIONS: readonly { title: string; pages: readonly string[] }[] = [
  {
    title: 'Get started',
    pages: ['README', 'docs/hosting', 'docs/stock', 'docs/vehicles', 'docs/feeds'],
  },
  {
    title: 'Customise',
    pages: ['docs/theming', 'docs/extending', 'docs/embedding', 'docs/eleventy'],
  },
  {
    title: 'Operate',
    pages: [
      'docs/operations',
      'docs/doctor',
      'docs/agencies',
      'docs/scale',
      'docs/container',
      'docs/upgrading',
    ],
  },
  { title: 'History of sent videos', pages: ['docs/crm', 'docs/batches'] },
  {
    title: 'Reference',
    pages: [
      'docs/configuration',
      'docs/commands',
      'docs/errors',
      'docs/view-models',
      'docs/service',
      'CHANGELOG',
    ],
  },
  {
    title: 'Internals',
    pages: [
      'docs/architecture',
      'docs/reliability',
      'docs/security',
      'docs/performance',
      'CONTRIBUTING',
      'SECURITY',
      ...globSync('docs/decisions/*.md')
        .sort()
        .map((file) => file.slice(0, -3)),
    ],
  },
];

/** The URL of a page below the root of the site: "" for the README, "decisions/keys/" for docs/decisions/keys. */
export const urlOf = (page: string): string =>
  ({ README: '', SECURITY: 'security-policy/' })[page] ??
  `${page.replace(/^docs\//, '').toLowerCase()}/`;
