import { HtmlValidate } from 'html-validate';

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // Numbers are valid ids, and the address of a picture (`#3`) is to be short.
    'valid-id': ['error', { relaxed: true }],
    // How markup is laid out is no matter of validity.
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    // Telephone numbers stand as the dealer writes them.
    'tel-non-breaking': 'off',
  },
});

/** What is not valid in a document, one line each. */
export async function invalid(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line}: ${message} (${ruleId})`),
  );
}
