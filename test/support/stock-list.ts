import { parseFacts } from '../../src/stock/facts.ts';
import { offlineConfig } from './offline-config.ts';

/** Reads the text of a stock list, with the settings of a dealer's list and the locale of the site. */
export function parseList(text: string, settings: object = {}, locale = 'en-GB') {
  const stock = { file: 'x.csv', ...settings };
  const { dealers } = offlineConfig({
    site: { locale },
    dealers: [{ id: 1, name: 'A', slug: 'a', stock }],
  });
  if (!dealers[0]?.stock) throw new Error('no stock');
  return parseFacts(text, dealers[0].stock, 'x.csv');
}
