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
  return [
    ...(Object.keys(sources).length > 0 ? [finding('policy-opened', { sources })] : []),
    ...(dealers.length > 0 && host && host.id !== 'netlify'
      ? [finding('enquiry-elsewhere', { dealers, host: host.name })]
      : []),
  ];
}
