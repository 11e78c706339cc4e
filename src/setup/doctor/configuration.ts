/** Checks of the configuration, without the service. */

import { signingFault, similarlySet } from '../../config/environment.ts';
import { hostOf } from '../../config/hosts.ts';
import type { HistoryConfig, LoadedConfig } from '../../config/load.ts';
import { openedSources } from '../../config/opened-sources.ts';
import type { Secret } from '../../config/secret.ts';
import type { LegalPage } from '../../config/site-schema.ts';
import { BATCH_KEY_FORM } from '../../contract/batch.ts';
import { firstOf } from '../../lib/terminal/count-text.ts';
import { type Code, type Finding, finding } from '../findings.ts';

/** Settings that still have the placeholder of init or of an example. */
export function* checkFilledIn({ service, site, dealers }: HistoryConfig): Iterable<Finding> {
  const addresses = [
    ['config-example', 'service.baseUrl', service.baseUrl],
    ['site-example', 'site.url', site?.url],
  ] as const;
  for (const [code, setting, address] of addresses) {
    if (address === undefined || !new URL(address).hostname.endsWith('.example')) continue;
    yield finding(code, { address }, `${setting} is still the example ${address}.`);
  }
  if (site && dealers.length === 0) yield finding('config-empty', {}, 'dealers is empty.');
}

/** Describes the fault in the form of a key, without any part of the key. Undefined if the form is valid. */
export function keyFault(key: Secret, kind: 'media' | 'batch'): string | undefined {
  const text = key.reveal();
  if (key.forms().length === 0) return 'is too short for a key';
  if (/^["'`]|["'`]$/.test(text)) return 'is in quotes';
  if (/\s/.test(text)) return 'has white space in it';
  if (/^https?:/i.test(text)) return 'is an address, not a key';
  if (/api_?key\w*=/i.test(text)) return 'has other text before it, such as "apiKey="';
  if (/[^\u0021-\u007e]/.test(text)) return 'contains characters that are not allowed in a key';
  if (kind === 'batch' && !BATCH_KEY_FORM.test(text)) {
    return 'is not five groups of 8-4-4-4-12 characters, joined by hyphens';
  }
  return undefined;
}

/** Checks that the keys of all dealers and accounts are set and have a valid form. */
export function checkKeys(
  { dealers, accounts, siteSecret }: HistoryConfig,
  env: NodeJS.ProcessEnv,
): Finding[] {
  const findings = new Map<string, Finding>();
  const users = new Map<string, string[]>();
  const isMissing = (variable: string, key: Secret, owner: string): boolean => {
    if (key.reveal() !== '') return false;
    const used = [...(users.get(variable) ?? []), owner];
    users.set(variable, used);
    const what = `${variable} is not set${similarlySet(variable, env)}.`;
    const why = `It is needed by ${firstOf(used, 5)}.`;
    findings.set(what, finding('key-missing', { variable, used }, what, { why }));
    return true;
  };
  const check = (variable: string, key: Secret, owner: string, kind: 'media' | 'batch') => {
    const add = (code: Code, args: object, what: string) =>
      findings.set(what, finding(code, { variable, ...args }, what));
    if (isMissing(variable, key, owner)) return;
    const reason = keyFault(key, kind);
    if (reason) add('key-form', { reason }, `The key in ${variable} ${reason}.`);
    if (reason || kind === 'batch' || siteSecret) return;
    const fault = signingFault(key);
    const text = `The key in ${variable} ${fault}. It cannot sign the records of the published site.`;
    if (fault) add('key-short', { fault }, text);
  };
  for (const { name, apiKeyEnv, apiKey, stock, listKey } of dealers) {
    check(apiKeyEnv, apiKey, name, 'media');
    if (listKey) isMissing(stock?.credentialsEnv ?? '', listKey, `the stock list of ${name}`);
  }
  for (const { name, apiKeyEnv, apiKey } of accounts) {
    check(apiKeyEnv, apiKey, `account "${name}"`, 'batch');
  }
  return [...findings.values()];
}

/** Countries in which the doctor asks for an imprint and a privacy notice. */
const IMPRINT = ['DE', 'AT'];

/** Checks for pages that the law in the dealers' countries commonly requires (docs/configuration.md). */
export function* checkLegal({
  site,
  dealers,
}: Pick<LoadedConfig, 'site' | 'dealers'>): Iterable<Finding> {
  // "de" is most likely a site in Germany.
  const siteCountry = new Intl.Locale(site.locale).maximize().region;
  const pages = [
    ['imprint-missing', 'imprint', 'imprint', IMPRINT],
    ['privacy-missing', 'privacy', 'privacy notice', IMPRINT],
    ['company-details-missing', 'imprint', 'page with company details', ['GB']],
  ] as const satisfies [Code, LegalPage, string, readonly string[]][];
  for (const [code, page, label, countries] of pages) {
    const missing = dealers
      .filter(({ address }) => countries.some((one) => one === (address?.country ?? siteCountry)))
      .filter((dealer) => (dealer[page] ?? site.legal[page]) === undefined)
      .map(({ name }) => name);
    const what = `No ${label} is set: ${firstOf(missing, 5)}.`;
    if (missing.length > 0) yield finding(code, { dealers: missing }, what);
  }
}

/**
 * Lists the hosts that pages may use, and dealers whose enquiries go to Netlify although the site does not.
 *
 * @param deployTo id of a host. Undefined if no host was chosen yet.
 */
export function* checkOpened(
  config: Pick<LoadedConfig, 'site' | 'dealers'>,
  deployTo: string | undefined,
): Iterable<Finding> {
  const { 'form-action': forms = [], ...otherSources } = openedSources(config);
  const formTargets = forms.filter((source) => source !== "'self'");
  const sources = {
    ...otherSources,
    ...(formTargets.length > 0 && { 'form-action': formTargets }),
  };
  const host = deployTo === undefined ? undefined : hostOf(deployTo);
  const dealers = config.dealers
    .filter(({ enquiry }) => (enquiry ?? config.site.enquiry)?.netlify !== undefined)
    .map(({ name }) => name);
  const lines = Object.entries(sources).map(([name, list]) => `${name} ${list.join(' ')}`);
  if (lines.length > 0) {
    const what = `Opened for pages: ${lines.join('; ')}.`;
    yield finding('policy-opened', { sources }, what);
  }
  if (dealers.length > 0 && host && host.id !== 'netlify') {
    const what = `Enquiries go to Netlify, but the site goes to ${host.name}: ${dealers.join(', ')}.`;
    yield finding('enquiry-elsewhere', { dealers, host: host.name }, what);
  }
}
