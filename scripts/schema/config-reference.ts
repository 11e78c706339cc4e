import { z } from 'zod';
import { configSchema } from '../../src/config/schema.ts';

interface Node {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
}

const HEAD = `# Configuration

One file, \`site.config.ts\`, says what is built. Any other file can be named with \`--config FILE\`
(\`.ts\`, \`.js\` or \`.json\`). The JSON form has a schema: [schema/site.config.schema.json](schema/site.config.schema.json);
name it in \`$schema\` and editors complete and check. A wrong file prints every problem at once, with
its path, before anything is fetched.

Keys never stand in the file: \`apiKeyEnv\` names the environment variable that holds one. Locally
they live in \`.env\` (see \`.env.example\`), in CI among its secrets.

\`\`\`jsonc
{
  "service": { "baseUrl": "https://media.example", "fieldNames": { "hostedVideo": "youTube" } },
  "site": { "title": "Northgate Cars", "url": "https://cars.example", "locale": "en-GB" },
  "dealers": [
    { "id": 7001, "name": "Northgate Cars", "slug": "northgate", "apiKeyEnv": "MEDIA_API_KEY" }
  ],
  "accounts": [
    { "name": "northgate", "customerId": "C-1001", "pathId": "1", "apiKeyEnv": "BATCH_API_KEY", "daysOfHistory": 30 }
  ],
  "media": { "hosts": ["pictures.example"], "widths": [320, 800, 1280] }
}
\`\`\`

Lengths of time are a number with a unit: \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`, such as \`"72h"\`.

The tables below are generated from the schema by \`npm run schema\`; a test keeps them true.
`;

/** Settings that map names to texts: one row each. Their names are explained elsewhere, and by editors. */
const MAPS = new Set(['dealers[].stock.columns']);

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function kindOf(node: Node): string {
  if (node.enum) return node.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  if (node.type === 'array') return `list of ${node.items ? kindOf(node.items) : 'values'}`;
  if (node.type === 'integer') return 'whole number';
  return node.type ?? 'value';
}

function rows(node: Node, prefix: string): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const path = prefix ? `${prefix}.${key}` : key;
    const inner = child.type === 'array' ? child.items : child;
    const below =
      inner?.properties && !MAPS.has(path)
        ? rows(inner, child.type === 'array' ? `${path}[]` : path)
        : [];
    if (below.length > 0 && child.type === 'object') return below;
    const needed = node.required?.includes(key) && child.default === undefined;
    const byDefault =
      child.default !== undefined
        ? `\`${JSON.stringify(child.default)}\``
        : needed
          ? '**needed**'
          : '–';
    return [
      `| \`${path}\` | ${cell(kindOf(child))} | ${cell(byDefault)} | ${cell(child.description ?? '')} |`,
      ...below,
    ];
  });
}

/** docs/configuration.md, from the schema. */
export function configReference(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as Node;
  const sections = Object.entries(schema.properties ?? {})
    .filter(([key]) => key !== '$schema')
    .map(([key, node]) => {
      const inner = node.type === 'array' ? node.items : node;
      const path = node.type === 'array' ? `${key}[]` : key;
      return [
        `## ${key}`,
        '',
        node.description ?? '',
        '',
        '| Setting | Kind | Default | Meaning |',
        '| --- | --- | --- | --- |',
        ...rows(inner ?? {}, path),
        '',
      ].join('\n');
    });
  return [HEAD, ...sections].join('\n');
}
