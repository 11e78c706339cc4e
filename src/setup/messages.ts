import { MAKE_SITE_SECRET } from '../config/site-secret.ts';

export type Severity = 'error' | 'warning' | 'info';

/** A finding of the doctor, as far as its text does not depend on the case. */
export interface Message {
  severity: Severity;
  /** Meaning of the code, for docs/doctor.md. */
  meaning: string;
  /** The reason; missing if each case has its own. */
  why?: string;
  /** What to do; missing if the error that is passed on says it. */
  fix?: string;
}

const NOTHING = 'Nothing needs to be done.';
const NO_ADVICE =
  'What a site needs depends on the business: ask somebody who knows the law; this is no legal advice.';
const FEWER = 'make fewer thumbnails (media.widths, media.formats, media.fallback)';

/** All findings of the doctor. Codes are never renamed: scripts match on them. */
export const MESSAGES = {
  'disk-low': {
    severity: 'warning',
    meaning: 'The disk may become full during a build.',
    why: 'Old and new thumbnails are beside each other until the new site is published.',
    fix: 'Free some space, or put the cache on another disk with --cache.',
  },
  'env-open': {
    severity: 'warning',
    meaning: 'Others on this machine can read .env.',
    why: 'It holds the keys.',
    fix: 'chmod 600 .env',
  },
  'env-tracked': {
    severity: 'error',
    meaning: 'git does not ignore .env.',
    why: 'The keys in it would be pushed, and stay in the history for ever.',
    fix: 'git rm --cached .env, add .env to .gitignore, and have keys that were pushed replaced.',
  },
  'config-wrong': { severity: 'error', meaning: 'The configuration cannot be used.' },
  'config-example': {
    severity: 'error',
    meaning: 'The address of the service is still the example.',
    why: 'No service answers there.',
    fix: 'Write the address that the vendor gave you, or run: npm run init',
  },
  'site-example': {
    severity: 'warning',
    meaning: 'The address of the site is still an example.',
    why: 'Sitemaps, feeds and shared links name this address.',
    fix: 'Write the address at which visitors will reach the site.',
  },
  'config-empty': {
    severity: 'error',
    meaning: 'No dealer is configured.',
    why: 'A site shows the vehicles of at least one dealer.',
    fix: 'Add a dealer to site.config.ts, or run: npm run init',
  },
  'places-wrong': {
    severity: 'error',
    meaning: 'A folder or file that a build writes is unrelated, or cannot be written.',
  },
  'files-wrong': { severity: 'error', meaning: 'A file that a build reads cannot be used.' },
  'pages-wrong': { severity: 'error', meaning: 'The pages cannot be made.' },
  'words-missing': {
    severity: 'warning',
    meaning: 'There are no words for the locale, so pages are in English.',
    fix: 'Put all words of the language into theme/words.json (docs/theming.md#words), or choose another site.locale.',
  },
  'stock-rows': {
    severity: 'warning',
    meaning: "Rows of a dealer's own list cannot be used as they are.",
    why: 'What cannot be read is left out of the pages.',
    fix: 'Correct the list, or the settings in dealers[].stock.',
  },
  'imprint-missing': {
    severity: 'warning',
    meaning: 'A dealer in Germany or Austria has neither an imprint nor an address of one.',
    why: 'Commercial websites in Germany (§ 5 DDG) and Austria commonly have to say who answers for them: name, legal form and representative, address, e-mail and phone, register and number, VAT ID.',
    fix: `Set dealers[].imprint to the address of that page, or site.legal.imprint to a Markdown file with the text. ${NO_ADVICE}`,
  },
  'privacy-missing': {
    severity: 'warning',
    meaning:
      'A dealer in Germany or Austria has neither a text about privacy nor an address of one.',
    why: 'Websites there commonly have to say what becomes of visitors’ data (GDPR, article 13): the host, videos of others, how the dealer can be reached.',
    fix: `Set dealers[].privacy to the address of that page, or site.legal.privacy to a Markdown file with the text. ${NO_ADVICE}`,
  },
  'company-details-missing': {
    severity: 'warning',
    meaning:
      'A dealer in the United Kingdom has neither a page with its company details nor an address of one.',
    why: 'Websites of companies in the United Kingdom commonly have to say the company’s name, number, place of registration and registered office, and the VAT number if there is one.',
    fix: `Set dealers[].imprint to the address of a page that says so, or site.legal.imprint to a Markdown file with the text. ${NO_ADVICE}`,
  },
  'workflow-differs': {
    severity: 'warning',
    meaning:
      'The workflow lacks lines that this version writes, or they were changed. The schedule, comments and added lines do not count.',
    why: 'It may lack a fix, or deploy to another host than .env names.',
    fix: 'If you changed it on purpose, nothing needs to be done. Otherwise run: npm run init -- --force (it keeps a copy of your file)',
  },
  'policy-opened': {
    severity: 'info',
    meaning: 'Pages may load from other hosts or send to them, as site.policy and enquiry say.',
    why: 'The configuration names them (site.policy, site.enquiry, dealers[].enquiry).',
    fix: NOTHING,
  },
  'enquiry-elsewhere': {
    severity: 'warning',
    meaning: 'Netlify is to take enquiries, and the site is not there.',
    why: 'Netlify takes what is posted to pages that it serves itself.',
    fix: 'Name another provider in site.enquiry or dealers[].enquiry (docs/hosting.md#enquiries).',
  },
  'key-missing': {
    severity: 'error',
    meaning: 'A key is not set.',
    fix: 'Put it into .env, or into the secrets of your CI.',
  },
  'key-short': {
    severity: 'warning',
    meaning:
      'A key is too short, or has too few different characters, to sign the records of the published site, and `SITE_SECRET` is not set.',
    why: 'Signatures are public, so such a key could be guessed from them. A build on a machine without cache cannot trust unsigned records. If the service then fails, it publishes nothing, and pages of withdrawn vehicles are lost.',
    fix: `Set SITE_SECRET in .env and among the secrets of your CI. "npm run init" makes one, and so does: ${MAKE_SITE_SECRET}`,
  },
  'key-form': {
    severity: 'error',
    meaning: 'A key has a form that cannot be right.',
    why: 'The service would refuse it. The key itself is never shown here.',
    fix: 'Copy the key again: nothing before it, nothing behind it, no quotes.',
  },
  'dealer-answers': {
    severity: 'info',
    meaning: 'The service answers for a dealer.',
    why: 'The service answered, and the answer fits.',
    fix: NOTHING,
  },
  'dealer-slow': {
    severity: 'warning',
    meaning: 'The service is close to its deadline.',
    fix: 'Raise service.timeout.',
  },
  'dealer-empty': {
    severity: 'warning',
    meaning: 'A dealer has no vehicles.',
    why: 'The dealer may be new, or the id may be of another dealer.',
    fix: 'Check dealers[].id with the vendor.',
  },
  'dealer-fails': {
    severity: 'error',
    meaning: 'The service gives no usable answer for a dealer.',
  },
  'account-answers': {
    severity: 'info',
    meaning: 'The service answers for an account.',
    why: 'The service answered for the last days of history.',
    fix: NOTHING,
  },
  'account-fails': {
    severity: 'error',
    meaning: 'The service gives no usable answer for an account.',
  },
  'unknown-fields': {
    severity: 'info',
    meaning: 'The answer has fields that the interface does not name.',
    why: 'They are not used. New fields are no fault.',
    fix: NOTHING,
  },
  'field-names': {
    severity: 'warning',
    meaning: 'The service writes fields under other names.',
    why: 'Under the configured names nothing is found, so what they hold is lost.',
    fix: 'Set the name in service.fieldNames, in site.config.ts.',
  },
  'set-aside': {
    severity: 'warning',
    meaning: 'Records or media items break the contract.',
    fix: 'The rest is published. Send code and place to the vendor.',
  },
  'set-aside-too-many': {
    severity: 'error',
    meaning: 'So many records break the contract that a build would not use the answer.',
    fix: 'Send the codes above to the vendor; raise the limit only if you know why.',
  },
  'unknown-types': {
    severity: 'warning',
    meaning: 'Media of a type that is not known.',
    why: 'Only images and videos are known; others are counted and left out.',
    fix: 'Ask the vendor what they are.',
  },
  'duplicate-plates': {
    severity: 'warning',
    meaning: 'A plate is listed twice.',
    why: 'The newest record of a plate is used.',
    fix: 'Remove the older one at the vendor.',
  },
  'embed-hosts': {
    severity: 'warning',
    meaning: 'Hosted videos of a host that no provider matches.',
    why: 'Only players of known hosts are embedded; these videos are linked instead.',
    fix: 'Add the host to videos.providers (docs/configuration.md), if you trust it.',
  },
  'picture-hosts': {
    severity: 'error',
    meaning: 'Pictures come from hosts that are not allowed.',
    why: 'Pictures are fetched from the service and from media.hosts alone.',
    fix: "Add them to media.hosts in site.config.ts, if they are your vendor's.",
  },
  'picture-fails': {
    severity: 'warning',
    meaning:
      'Pictures of the sample could not be downloaded or decoded: an error if a build would stop, otherwise a warning.',
  },
  'pictures-arrive': {
    severity: 'info',
    meaning: 'The sample pictures were downloaded and made into thumbnails.',
    why: 'Downloaded and encoded as a build does it.',
    fix: NOTHING,
  },
  'viewer-widths': {
    severity: 'info',
    meaning: 'What larger pictures in the full-screen viewer cost, or would cost.',
    why: 'Counted for the vehicles of today, by the sizes of the sample.',
    fix: 'Choose media.viewerWidths: each width is a file more of each picture that is as wide.',
  },
  'host-unknown': {
    severity: 'error',
    meaning: 'DEPLOY_TO names no host that is known.',
    fix: 'Correct DEPLOY_TO in .env and in the workflow.',
  },
  'host-variables': {
    severity: 'warning',
    meaning: 'npm run deploy cannot run on this machine: variables are not set.',
    why: 'npm run deploy needs them here. A workflow has them among its own secrets and variables.',
    fix: 'Put them into .env, if you deploy from here; docs/hosting.md says where they come from.',
  },
  'host-settings': { severity: 'error', meaning: 'A variable for npm run deploy is wrong.' },
  'host-rewrites': {
    severity: 'warning',
    meaning: 'Netlify rewrites pages.',
    why: 'It rewrites pages to do so. They need none of it, and a deploy cannot compare them with what it sent.',
    fix: 'Switch it off: Project configuration, Build & deploy, Post processing, Pretty URLs.',
  },
  'records-large': {
    severity: 'warning',
    meaning: 'The published site sends its records without compressing them.',
    why: 'A build on a machine without cache reads the records of all dealers; compressed they are much smaller.',
    fix: 'Have the web server compress application/json (nginx: gzip on; gzip_types application/json;).',
  },
  'host-fits': {
    severity: 'info',
    meaning: 'The site fits the host.',
    why: 'Counted from the answers and the sample pictures.',
    fix: NOTHING,
  },
  'host-paid': {
    severity: 'warning',
    meaning: 'The site fits a paid plan of the host only.',
    fix: `Take that plan, ${FEWER}, or choose another host.`,
  },
  'host-too-small': {
    severity: 'error',
    meaning: 'The site is too large for the host.',
    fix: `Choose another host (docs/hosting.md), or ${FEWER}.`,
  },
  'host-trade': {
    severity: 'warning',
    meaning: 'The terms of the host speak against a shop.',
    why: 'Its terms say so, and a site can be taken down for it.',
    fix: 'Read its terms, or choose another host (docs/hosting.md).',
  },
  'host-rule': {
    severity: 'info',
    meaning: 'A rule of the host that you should know.',
    why: 'It is how this host works.',
    fix: NOTHING,
  },
} as const satisfies Record<string, Message>;
