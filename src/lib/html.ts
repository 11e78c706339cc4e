import { createRequire } from 'node:module';
import type { Parser } from 'htmlparser2';

const require = createRequire(import.meta.url);

/** A parser of HTML or XML. It is loaded on first use, because that takes 25 ms, and most builds need none. */
export function newParser(...options: ConstructorParameters<typeof Parser>): Parser {
  const parser = require('htmlparser2') as typeof import('htmlparser2');
  return new parser.Parser(...options);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text for an element or a quoted attribute of HTML or XML, if no template does it.
 */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const CHARACTERS = new Map(
  Object.entries(ENTITIES).map(([character, entity]) => [entity, character]),
);

/** The reverse of {@link escapeHtml}. Undefined for text that is not its result. */
export function unescapeHtml(text: string): string | undefined {
  if (!text.includes('&')) return text;
  let isEscaped = true;
  const plain = text.replace(/&[^;]*;?/g, (entity) => {
    const character = CHARACTERS.get(entity);
    isEscaped &&= character !== undefined;
    return character ?? '';
  });
  return isEscaped ? plain : undefined;
}

// Characters that XML 1.0 forbids, even escaped.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Text of unknown origin without the characters that XML forbids. @param substitute replaces each of them. */
export const xmlSafe = (text: string, substitute = ' '): string =>
  text.toWellFormed().replace(NOT_XML, substitute);

/** The same, escaped for an element or a quoted attribute. */
export const xmlText = (text: string): string => escapeHtml(xmlSafe(text));
