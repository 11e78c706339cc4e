import type { LoadedConfig } from '../../config/load.ts';
import type { LegalPage } from '../../config/site-schema.ts';
import { type Finding, finding } from '../findings.ts';

/** Countries in which the doctor asks for an imprint and a text about privacy. */
const IMPRINT = ['DE', 'AT'];

/** What pages lack of what the law of the dealers' countries commonly asks for; see docs/configuration.md. */
export function checkLegal({ site, dealers }: Pick<LoadedConfig, 'site' | 'dealers'>): Finding[] {
  const ofLocale = new Intl.Locale(site.locale).region;
  const without = (page: LegalPage, countries: readonly (string | undefined)[]) =>
    dealers
      .filter((dealer) => countries.includes(dealer.address?.country ?? ofLocale))
      .filter((dealer) => (dealer[page] ?? site.legal[page]) === undefined)
      .map(({ name }) => name);
  const imprint = without('imprint', IMPRINT);
  const privacy = without('privacy', IMPRINT);
  const company = without('imprint', ['GB']);
  return [
    ...(imprint.length > 0 ? [finding('imprint-missing', { dealers: imprint })] : []),
    ...(privacy.length > 0 ? [finding('privacy-missing', { dealers: privacy })] : []),
    ...(company.length > 0 ? [finding('company-details-missing', { dealers: company })] : []),
  ];
}
