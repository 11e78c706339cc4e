import { fill } from '../templates.ts';
import { type Answers, BATCH_KEY } from './answers.ts';

/** Where the configuration lies that `init` writes, from the project's folder. */
export const CONFIG_FILE = 'site.config.ts';

/** A text with line breaks as this project ships it: git may have made others of them. */
export const withPlainBreaks = (text: string): string => text.replaceAll('\r\n', '\n');

/** A string as the project's formatter writes it. */
function quoted(text: string): string {
  const safe = text.replaceAll('\\', '\\\\').replace(/\s+/g, ' ');
  if (!safe.includes("'")) return `'${safe}'`;
  return safe.includes('"') ? `'${safe.replaceAll("'", "\\'")}'` : `"${safe}"`;
}

/** A dealer as lines of the configuration. @param first with comments for the reader. */
export const dealerText = (
  { id, name, slug, apiKeyEnv, phone }: Answers['dealers'][number],
  first: boolean,
): string[] => {
  const note = (text: string) => (first ? [`      // ${text}`] : []);
  return [
    '    {',
    `      id: ${id},`,
    `      name: ${quoted(name)},`,
    ...note('First part of all page addresses of this dealer: never change it.'),
    `      slug: ${quoted(slug)},`,
    ...note('The environment variable that holds the API key.'),
    `      apiKeyEnv: ${quoted(apiKeyEnv)},`,
    ...(phone === undefined
      ? [
          ...note('How visitors reach the dealer, such as:'),
          ...note("contact: { phone: '+44 1632 960001', email: 'sales@cars.example' },"),
        ]
      : [`      contact: { phone: ${quoted(phone)} },`]),
    '    },',
  ];
};

/** The text of `site.config.ts`. */
export function configFile(answers: Answers): string {
  const { dealers, accounts, pictureHosts, hostedVideo, clicks } = answers;
  return fill('site.config.ts', {
    ...answers,
    quoted,
    fieldNames: Object.entries({ hostedVideo, ...clicks }).map(
      ([name, value]) => `${name}: ${quoted(value)}`,
    ),
    dealerLines: dealers.flatMap((dealer, index) => dealerText(dealer, index === 0)),
    accounts: accounts.map((account) => ({ apiKeyEnv: BATCH_KEY, ...account })),
    hosts: pictureHosts.map(quoted).join(', '),
  });
}
