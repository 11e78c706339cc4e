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

const accountText = ({
  name,
  customerId,
  pathId,
  apiKeyEnv = BATCH_KEY,
}: Answers['accounts'][number]) => [
  '    {',
  `      name: ${quoted(name)},`,
  `      customerId: ${quoted(customerId)},`,
  `      pathId: ${quoted(pathId)},`,
  `      apiKeyEnv: ${quoted(apiKeyEnv)},`,
  '    },',
];

const fieldNamesText = ({ hostedVideo, clicks }: Answers): string[] => {
  const names = Object.entries({ hostedVideo, ...clicks }).map(
    ([name, value]) => `${name}: ${quoted(value)}`,
  );
  if (names.length === 1) return [`    fieldNames: { ${names} },`];
  return ['    fieldNames: {', ...names.map((name) => `      ${name},`), '    },'];
};

/** The text of `site.config.ts`. */
export function configFile(answers: Answers): string {
  const hosts = answers.pictureHosts.map(quoted).join(', ');
  return `${[
    '/**',
    ' * The one file to edit. Every setting is explained in docs/configuration.md; everything that is not',
    " * here has a default. Keys never stand here: put them into .env or the CI's secrets.",
    ' */',
    `import { defineConfig } from ${quoted('vehicle-media-site/config')};`,
    '',
    'export default defineConfig({',
    '  service: {',
    '    // The address of the media service, as the vendor gave it.',
    `    baseUrl: ${quoted(answers.baseUrl)},`,
    '    // The real names of the fields that differ from service to service.',
    ...fieldNamesText(answers),
    '  },',
    '  site: {',
    `    title: ${quoted(answers.title)},`,
    '    // Where the site will be reached.',
    `    url: ${quoted(answers.url)},`,
    `    locale: ${quoted(answers.locale)},`,
    `    timeZone: ${quoted(answers.timeZone)},`,
    '  },',
    '  dealers: [',
    ...answers.dealers.flatMap((dealer, index) => dealerText(dealer, index === 0)),
    '  ],',
    ...(answers.accounts.length === 0
      ? []
      : [
          '  // Accounts of MyVideos, for npm run batches: see docs/batches.md. Never change a name.',
          '  accounts: [',
          ...answers.accounts.flatMap(accountText),
          '  ],',
        ]),
    '  media: {',
    "    // Hosts that pictures may come from, besides the service's own.",
    `    hosts: [${hosts}],`,
    '  },',
    '});',
  ].join('\n')}\n`;
}
