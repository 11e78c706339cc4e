import { z } from 'zod';
import { closest } from '../lib/closest.ts';
import { configSchema } from './schema.ts';

interface Node {
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
  oneOf?: Node[];
}

/** A node, and those that may take its place. */
const formsOf = (node: Node): Node[] =>
  [node, ...(node.anyOf ?? []), ...(node.oneOf ?? [])].flatMap((one) =>
    one === node ? [one] : formsOf(one),
  );

/** Names of the settings in a section of the configuration. */
function settingsIn(section: readonly PropertyKey[]): string[] {
  let nodes = formsOf(
    z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Node,
  );
  for (const part of section) {
    nodes = nodes.flatMap(({ items, properties }) => {
      const next = typeof part === 'number' ? items : properties?.[String(part)];
      return next ? formsOf(next) : [];
    });
  }
  return nodes.flatMap(({ properties }) => Object.keys(properties ?? {}));
}

/** The setting that an unknown name in a section probably means. */
export const closestSetting = (section: readonly PropertyKey[], name: string): string | undefined =>
  closest(name, settingsIn(section));
