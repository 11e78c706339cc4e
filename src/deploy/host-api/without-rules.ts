import type { DeploySource } from './types.ts';

/** What Netlify and Cloudflare read; elsewhere it would only be a page of its own. */
const RULES = new Set(['_headers', '_redirects']);

/** A site as hosts get it that know no such rules. */
export const withoutRules = (source: DeploySource): DeploySource => ({
  ...source,
  files: new Map([...source.files].filter(([path]) => !RULES.has(path))),
});
