import { entry, NOTHING } from './entry.ts';

/** What is said of hosts that pages may use, and of enquiries. */
export const OPENED = {
  'policy-opened': entry(
    'info',
    'Pages may load from other hosts or send to them, as site.policy and enquiry say.',
    ({ sources }: { sources: Readonly<Record<string, readonly string[]>> }) => ({
      what: `Opened for pages: ${Object.entries(sources)
        .map(([directive, list]) => `${directive} ${list.join(' ')}`)
        .join('; ')}.`,
      why: 'The configuration names them (site.policy, site.enquiry, dealers[].enquiry).',
      fix: NOTHING,
    }),
  ),
  'enquiry-elsewhere': entry(
    'warning',
    'Netlify is to take enquiries, and the site is not there.',
    ({ dealers, host }: { dealers: readonly string[]; host: string }) => ({
      what: `Enquiries are to go to Netlify, but the site goes to ${host}: ${dealers.join(', ')}.`,
      why: 'Netlify takes what is posted to pages that it serves itself.',
      fix: 'Name another provider in site.enquiry or dealers[].enquiry (docs/hosting.md#enquiries).',
    }),
  ),
};
