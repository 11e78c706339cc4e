const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text for an element or a quoted attribute of HTML or XML, where no template does it.
 */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const CHARACTERS = new Map(
  Object.entries(ENTITIES).map(([character, entity]) => [entity, character]),
);

/** The reverse of {@link escapeHtml}. Undefined for text that it cannot have written. */
export function unescapeHtml(text: string): string | undefined {
  if (!text.includes('&')) return text;
  let isOurs = true;
  const plain = text.replace(/&[^;]*;?/g, (entity) => {
    const character = CHARACTERS.get(entity);
    isOurs &&= character !== undefined;
    return character ?? '';
  });
  return isOurs ? plain : undefined;
}
