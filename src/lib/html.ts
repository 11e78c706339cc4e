const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Text made safe inside an element or a quoted attribute of HTML or XML, for what is not rendered by
 * a template.
 */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const CHARACTERS = new Map(
  Object.entries(ENTITIES).map(([character, entity]) => [entity, character]),
);

/** What {@link escapeHtml} was given; undefined where it did not write this. */
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
