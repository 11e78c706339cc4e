import type { LoadedConfig } from '../../config/load.ts';
import type { LegalPage } from '../../config/site-schema.ts';
import { firstOf } from '../../lib/terminal/count-text.ts';
import { type Code, type Finding, finding } from '../findings.ts';

/** Countries in which the doctor asks for an imprint and a text about privacy. */
const IMPRINT = ['DE', 'AT'];

const missing = (code: Code, page: string, dealers: readonly string[]): Finding[] =>
  dealers.length > 0
    ? [finding(code, { dealers }, `No ${page} is set: ${firstOf(dealers, 5)}.`)]
    : [];

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
    ...missing('imprint-missing', 'imprint', imprint),
    ...missing('privacy-missing', 'text about privacy', privacy),
    ...missing('company-details-missing', 'page with company details', company),
  ];
}
