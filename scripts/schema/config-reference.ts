import { z } from 'zod';
import { configSchema } from '../../src/config/schema.ts';

interface Node {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  /** Variants of an object, which differ in their first property. */
  oneOf?: Node[];
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
}

/** Settings that map names to texts, with one row each. Other pages and editors explain the names. */
const MAPS = new Set(['dealers[].stock.columns']);

/** A text as a cell of a Markdown table. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** The properties of all variants in one object. The meaning of a property begins with its variant if others lack it. */
function mergeVariants(variants: readonly Node[]): Node {
  const properties: Record<string, Node> = {};
  const required = variants.flatMap((variant) => variant.required ?? []);
  for (const variant of variants) {
    const [[selector = '', { const: name = '' } = {}] = []] = Object.entries(
      variant.properties ?? {},
    );
    for (const [key, node] of Object.entries(variant.properties ?? {})) {
      const isShared = variants.every((other) => other.properties?.[key]);
      const description = `${name}: ${node.description}`;
      if (key === selector) {
        const earlier = properties[key];
        properties[key] = {
          enum: [...(earlier?.enum ?? []), name],
          description: [earlier?.description, description].filter(Boolean).join(' '),
        };
      } else properties[key] = isShared ? node : { ...node, description };
    }
  }
  return { properties, required };
}

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
    const innerRows =
      inner?.properties && !MAPS.has(path)
        ? rows(inner, child.type === 'array' ? `${path}[]` : path)
        : [];
    if (innerRows.length > 0 && child.type === 'object') return innerRows;
    const isRequired = node.required?.includes(key) && child.default === undefined;
    const byDefault =
      child.default !== undefined
        ? `\`${JSON.stringify(child.default)}\``
        : isRequired
          ? '**needed**'
          : '–';
    return [
      `| \`${path}\` | ${cell(kindOf(child))} | ${cell(byDefault)} | ${cell(child.description ?? '')} |`,
      ...innerRows,
    ];
  });
}

/** The tables of docs/configuration.md, from the schema. */
export function configReference(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as Node;
  const sections = Object.entries(schema.properties ?? {})
    .filter(([key]) => key !== '$schema')
    .map(([key, node]) => {
      const item = node.type === 'array' ? node.items : node;
      const inner = item?.oneOf ? mergeVariants(item.oneOf) : item;
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
  return sections.join('\n').trimEnd();
}
