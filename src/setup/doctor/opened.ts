import { hostOf } from '../../config/hosts.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { openedSources } from '../../config/opened-sources.ts';
import { type Finding, finding } from '../findings.ts';

/**
 * Lists the hosts that pages may use, and dealers whose enquiries go to Netlify while the site does not.
 *
 * @param deployTo id of a host; undefined where it is not decided.
 */
export function checkOpened(
  config: Pick<LoadedConfig, 'site' | 'dealers'>,
  deployTo: string | undefined,
): Finding[] {
  const { 'form-action': forms = [], ...others } = openedSources(config);
  const elsewhere = forms.filter((source) => source !== "'self'");
  const sources = { ...others, ...(elsewhere.length > 0 && { 'form-action': elsewhere }) };
  const host = deployTo === undefined ? undefined : hostOf(deployTo);
  const dealers = config.dealers
    .filter(({ enquiry }) => (enquiry ?? config.site.enquiry)?.netlify !== undefined)
    .map(({ name }) => name);
  const opened = Object.entries(sources).map(
    ([directive, list]) => `${directive} ${list.join(' ')}`,
  );
  const findings: Finding[] = [];
  if (opened.length > 0) {
    const what = `Opened for pages: ${opened.join('; ')}.`;
    findings.push(finding('policy-opened', { sources }, what));
  }
  if (dealers.length > 0 && host && host.id !== 'netlify') {
    const what = `Enquiries are to go to Netlify, but the site goes to ${host.name}: ${dealers.join(', ')}.`;
    findings.push(finding('enquiry-elsewhere', { dealers, host: host.name }, what));
  }
  return findings;
}
