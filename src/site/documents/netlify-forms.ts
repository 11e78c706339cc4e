import type { LoadedConfig } from '../../config/load.ts';
import type { GeneratedFile } from '../views/view.ts';
import { contentPolicy } from './policy.ts';

/** The page by which Netlify learns of the forms of a site. */
export const NETLIFY_FORMS = 'netlify-forms.html';

const FIELDS = ['name', 'email', 'phone', 'message', 'subject', 'vehicle', 'plate', 'page'];

const form = (name: string): string =>
  `<form name="${name}" method="POST" data-netlify="true" netlify-honeypot="bot-field" hidden>
<input name="bot-field">
${FIELDS.map((field) => `<input name="${field}">`).join('\n')}
</form>`;

/**
 * A page that declares all forms, with all their fields. None where Netlify takes no enquiries. Netlify
 * searches pages for forms and rewrites those that it finds. The pages of vehicles stay as they were made, so
 * that a deploy can compare them (https://docs.netlify.com/forms/setup/).
 */
export function netlifyForms({
  site,
  dealers,
}: Pick<LoadedConfig, 'site' | 'dealers'>): GeneratedFile[] {
  const all = dealers.flatMap(({ enquiry }) => (enquiry ?? site.enquiry)?.netlify ?? []);
  const names = [...new Set(all)].sort();
  if (names.length === 0) return [];
  const content = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy([])}">
<meta name="robots" content="noindex">
<title>Forms</title>
</head>
<body>
<main>
<h1>Forms</h1>
<p>Netlify reads here which forms this site has.</p>
${names.map(form).join('\n')}
</main>
</body>
</html>
`;
  return [{ file: `/${NETLIFY_FORMS}`, content }];
}
