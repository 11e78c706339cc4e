import type { LoadedConfig } from '../../config/load.ts';
import type { GeneratedFile } from '../views/view.ts';
import { contentPolicy } from './policy.ts';

/** The page in which Netlify finds the forms of a site. */
export const NETLIFY_FORMS = 'netlify-forms.html';

const FIELDS = ['name', 'email', 'phone', 'message', 'subject', 'vehicle', 'plate', 'page'];

const form = (name: string): string =>
  `<form name="${name}" method="POST" data-netlify="true" netlify-honeypot="bot-field" hidden>
<input name="bot-field">
${FIELDS.map((field) => `<input name="${field}">`).join('\n')}
</form>`;

/**
 * A page that declares all forms with all their fields. Empty if Netlify receives no enquiries. Netlify rewrites
 * pages with forms (https://docs.netlify.com/forms/setup/). With this separate page, the pages of vehicles stay
 * unchanged, so that a deploy can compare them.
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
<p>Netlify reads the forms of this site from this page.</p>
${names.map(form).join('\n')}
</main>
</body>
</html>
`;
  return [{ file: `/${NETLIFY_FORMS}`, content }];
}
