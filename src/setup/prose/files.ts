import { countText, firstOf } from '../../lib/terminal/count-text.ts';
import { entry, passedOn } from './entry.ts';

const NO_ADVICE =
  'What a site needs depends on the business: ask somebody who knows the law; this is no legal advice.';
const named = (dealers: readonly string[]): string => firstOf(dealers, 5);

/** What is said of configuration and other files of a project. */
export const FILES = {
  'config-wrong': entry('error', 'The configuration cannot be used.', passedOn),
  'config-example': entry(
    'error',
    'The address of the service is still the example.',
    ({ address }: { address: string }) => ({
      what: `service.baseUrl is still the example ${address}.`,
      why: 'No service answers there.',
      fix: 'Write the address that the vendor gave you, or run: npm run init',
    }),
  ),
  'site-example': entry(
    'warning',
    'The address of the site is still an example.',
    ({ address }: { address: string }) => ({
      what: `site.url is the example ${address}.`,
      why: 'Sitemaps, feeds and shared links name this address.',
      fix: 'Write the address at which visitors will reach the site.',
    }),
  ),
  'config-empty': entry('error', 'No dealer is configured.', (_: object) => ({
    what: 'dealers is empty.',
    why: 'A site shows the vehicles of at least one dealer.',
    fix: 'Add a dealer to site.config.ts, or run: npm run init',
  })),
  'places-wrong': entry(
    'error',
    'A folder or file that a build writes is not ours, or cannot be written.',
    passedOn,
  ),
  'files-wrong': entry('error', 'A file that a build reads cannot be used.', passedOn),
  'pages-wrong': entry('error', 'The pages cannot be made.', passedOn),
  'words-missing': entry(
    'warning',
    'There are no words for the locale, so pages are in English.',
    (a: { locale: string; language: string; known: boolean; there: readonly string[] }) => ({
      what: `There are no words for site.locale "${a.locale}": pages will be in English, their dates and numbers too.`,
      why: `Words come with this program for ${a.there.join(' and ')}.`,
      fix: a.known
        ? `Put all words under "${a.language}" into theme/words.json (docs/theming.md#words), or choose another site.locale.`
        : `Choose another site.locale: "${a.language}" is no language whose plural forms are known.`,
    }),
  ),
  'stock-rows': entry(
    'warning',
    "Rows of a dealer's own list cannot be used as they are.",
    (a: { dealer: string; rows: number; count: number; first: string }) => ({
      what: `${a.dealer}: ${countText(a.count, 'fault')} in the ${countText(a.rows, 'row')} of its stock list; the first in ${a.first}.`,
      why: 'What cannot be read is left out of the pages.',
      fix: 'Correct the list, or the settings in dealers[].stock.',
    }),
  ),
  'imprint-missing': entry(
    'warning',
    'A dealer in Germany or Austria has neither an imprint nor an address of one.',
    ({ dealers }: { dealers: readonly string[] }) => ({
      what: `No imprint is set: ${named(dealers)}.`,
      why: 'Commercial websites in Germany (§ 5 DDG) and Austria commonly have to say who answers for them: name, legal form and representative, address, e-mail and telephone, register and number, VAT ID.',
      fix: `Set dealers[].imprint to the address of that page, or site.legal.imprint to a Markdown file with the text. ${NO_ADVICE}`,
    }),
  ),
  'privacy-missing': entry(
    'warning',
    'A dealer in Germany or Austria has neither a text about privacy nor an address of one.',
    ({ dealers }: { dealers: readonly string[] }) => ({
      what: `No text about privacy is set: ${named(dealers)}.`,
      why: 'Websites there commonly have to say what becomes of visitors’ data (GDPR, article 13): the host, videos of others, how the dealer can be reached.',
      fix: `Set dealers[].privacy to the address of that page, or site.legal.privacy to a Markdown file with the text. ${NO_ADVICE}`,
    }),
  ),
  'company-details-missing': entry(
    'warning',
    'A dealer in the United Kingdom has neither a page with its company details nor an address of one.',
    ({ dealers }: { dealers: readonly string[] }) => ({
      what: `No page with company details is set: ${named(dealers)}.`,
      why: 'Websites of companies in the United Kingdom commonly have to say the company’s name, number, place of registration and registered office, and the VAT number where there is one.',
      fix: `Set dealers[].imprint to the address of a page that says so, or site.legal.imprint to a Markdown file with the text. ${NO_ADVICE}`,
    }),
  ),
  'workflow-differs': entry(
    'warning',
    'The workflow lacks lines that this version writes, or they were changed. The schedule, comments and added lines do not count.',
    (a: { file: string; lines: number; first: string }) => ({
      what: `${a.file} is not the workflow that this version writes. Lines that are missing or changed: ${a.lines}. The first is: ${a.first}`,
      why: 'It may lack a fix, or deploy to another host than .env names.',
      fix: 'If you changed it on purpose, nothing needs to be done. Otherwise run: npm run init -- --force (it keeps a copy of your file)',
    }),
  ),
};
