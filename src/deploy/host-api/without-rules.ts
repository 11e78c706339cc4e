import type { DeploySource } from './types.ts';

/** Files of rules for Netlify and Cloudflare; other hosts would serve them as pages. */
const RULES = new Set(['_headers', '_redirects']);

/** A site without these files, for hosts that do not read them. */
export const withoutRules = (source: DeploySource): DeploySource => ({
  ...source,
  files: new Map([...source.files].filter(([path]) => !RULES.has(path))),
});
