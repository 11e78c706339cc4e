import { z } from 'zod';
import type { WithSecrets } from '../../config/build-secrets.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { localesOf } from '../../config/locales.ts';
import { LEGAL_PAGES } from '../../config/site-schema.ts';
import { printable } from '../../errors.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import type { OwnPage, PagesInput } from '../../site/extend.ts';
import type { Theme } from '../theme/theme.ts';
import { extensionError, wrongExtension } from './failure.ts';
import { checkedData, type LoadedExtension } from './load.ts';

/** First parts of addresses that the program gives itself. */
const OURS = ['assets', 'embed', 'media', 'schema'];

/** Two parts at most: `_headers` has no rules for pages further down. */
const PATH = /^\/(?:[a-z0-9]+(?:-+[a-z0-9]+)*\/){1,2}$/;

const text = z.string().trim().min(1, 'must not be empty');

const pageSchema = z.strictObject({
  path: z
    .string()
    .refine(
      (path) => PATH.test(path) && isSafeFile(path.slice(1, -1)),
      'must be an address such as "/about/" or "/about/team/": lower-case letters, digits and hyphens, a slash at both ends',
    ),
  template: z.string(),
  title: text,
  description: text,
  dealer: z.string().optional(),
  data: z.unknown().optional(),
  sitemap: z.boolean().optional(),
});

/**
 * The pages of an extension, once the view models are there. Every page is checked, so that what is
 * wrong is told with its address and not as a fault of a template.
 */
export function ownPagesOf(
  extension: LoadedExtension,
  config: Pick<LoadedConfig, 'site'> & WithSecrets,
  theme: Pick<Theme, 'templates'>,
): (input: Omit<PagesInput<unknown>, 'data'>) => OwnPage[] {
  const { file, pages, data } = extension;
  const wrong = (place: string, why: string, fix: string) =>
    wrongExtension(file, {
      does: `gives a page that cannot be made: ${printable(place)}`,
      why,
      fix,
    });
  const slugs = config.dealers.map(({ slug }) => slug);
  const folders = localesOf(config.site).map(({ folder }) => folder);

  function checked(given: unknown, index: number, taken: Map<string, number>): OwnPage {
    const parsed = pageSchema.safeParse(given);
    const asked = (given as { path?: unknown } | null)?.path;
    const place = typeof asked === 'string' ? asked : `number ${index + 1}`;
    if (!parsed.success) {
      const why = parsed.error.issues.map((issue) =>
        issue.code === 'unrecognized_keys'
          ? `${issue.keys.join(', ')}: no page has this.`
          : `${issue.path.join('.') || 'The page'}: ${issue.message}.`,
      );
      throw wrong(place, why.join(' '), 'docs/extending.md lists what a page has.');
    }
    const page = parsed.data;
    const [, first = ''] = page.path.split('/');
    const isOurs = OURS.includes(first) || folders.includes(`/${first}`);
    if (isOurs || slugs.includes(first)) {
      throw wrong(
        place,
        isOurs
          ? `Addresses below /${first}/ are the program's own.`
          : `Addresses below /${first}/ belong to the dealer's vehicles, and tomorrow's are not known.`,
        'Give the page another address.',
      );
    }
    const legal = LEGAL_PAGES.find((name) => name === first);
    if (legal !== undefined && config.site.legal[legal] !== undefined) {
      throw wrong(
        place,
        `The text of site.legal.${legal} has this address.`,
        `Give the page another address, or take site.legal.${legal} out of the configuration.`,
      );
    }
    const former = taken.get(page.path);
    if (former !== undefined) {
      throw wrong(
        place,
        `Pages number ${former + 1} and ${index + 1} have the same address.`,
        'Give one of them another address.',
      );
    }
    taken.set(page.path, index);
    if (!page.template.startsWith('pages/') || !theme.templates.has(page.template)) {
      const there = [...theme.templates.keys()].filter((name) => name.startsWith('pages/'));
      throw wrong(
        place,
        `There is no template ${printable(page.template)}.`,
        `Templates of pages of your own lie in the theme's folder pages/. There is ${there.join(', ') || 'none yet'}.`,
      );
    }
    if (page.dealer !== undefined && !slugs.includes(page.dealer)) {
      throw wrong(
        place,
        `No dealer has the slug ${printable(page.dealer)}.`,
        `There is ${slugs.join(', ')}.`,
      );
    }
    return { ...page, data: checkedData(file, page.data ?? {}, `data of the page ${page.path}`) };
  }

  return (input) => {
    if (!pages) return [];
    let given: unknown;
    try {
      given = pages({ ...input, data });
    } catch (error) {
      throw extensionError(file, 'pages()', error, config);
    }
    if (!Array.isArray(given)) {
      throw wrongExtension(file, {
        does: 'gives no list of pages',
        why: `pages() must return a list${given instanceof Promise ? '; it returned a promise' : ''}.`,
        fix: 'Fetch in data(), which may wait; pages() makes pages of what is there.',
      });
    }
    const taken = new Map<string, number>();
    return given.map((page, index) => checked(page, index, taken));
  };
}
