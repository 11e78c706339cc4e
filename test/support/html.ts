import { HtmlValidate } from 'html-validate';

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // Numbers are valid ids, and the URL of a picture (`#3`) should be short.
    'valid-id': ['error', { relaxed: true }],
    // The formatting of markup does not affect its validity.
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    // Phone numbers are shown as the dealer writes them.
    'tel-non-breaking': 'off',
  },
});

/** Validation errors of a document, one line each. */
export async function invalid(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line}: ${message} (${ruleId})`),
  );
}
