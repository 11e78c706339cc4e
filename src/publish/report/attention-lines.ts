/** Entries that need attention, as text. Entries with one cause are joined. */
import { type ErrorDetails, printable } from '../../errors.ts';
import { countText, firstOf } from '../../lib/terminal/count-text.ts';
import { fitted } from './fitted.ts';
import type { BuildReport, DealerReport } from './report.ts';

/** A problem of a dealer or of the site. */
type Entry = Partial<ErrorDetails> & { dealer?: number; what: string };

type Dealer = Pick<DealerReport, 'id' | 'name'>;

const ATTENTION_LINES = 6;
const SAME_FIX = 3;
const NAMED_DEALERS = 3;

/** Replaces the dealer in a text. */
const DEALER = '\0';

/** The dealer as texts name it. */
export const dealerLabel = ({ id, name }: Dealer): string => `Dealer ${id} (${printable(name)})`;

/**
 * Joins entries that differ only in the name of the dealer: they have one cause, such as an unreachable site.
 *
 * @param most how many dealers a joined entry names.
 */
export function joinDealers<T extends Entry>(
  entries: readonly T[],
  dealers: readonly Dealer[],
  most = NAMED_DEALERS,
): T[] {
  const labels = new Map(dealers.map((dealer) => [dealer.id, dealerLabel(dealer)]));
  const names = new Map(dealers.map(({ id, name }) => [id, printable(name)]));
  const withoutDealer = ({ dealer = Number.NaN }: T, text: string | undefined) => {
    const label = labels.get(dealer);
    if (label === undefined) return text;
    return printable(text ?? '')
      .replaceAll(label, DEALER)
      .replaceAll(label.replace('D', 'd'), DEALER);
  };
  const groups = Map.groupBy(entries, (entry) =>
    JSON.stringify([
      entry.code,
      withoutDealer(entry, entry.what),
      withoutDealer(entry, entry.why),
      entry.fix,
    ]),
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first || others.length === 0) return first ?? [];
    const same = [first, ...others];
    const all = [...new Set(same.map(({ dealer = Number.NaN }) => names.get(dealer) ?? ''))];
    const isEach = all.length === dealers.length && all.length > NAMED_DEALERS;
    const label = `${countText(same.length, 'dealer')} (${isEach ? 'all' : firstOf(all, most)})`;
    const [what = '', why] = [first.what, first.why].map((text) =>
      withoutDealer(first, text)?.replaceAll(DEALER, label),
    );
    return { ...first, dealer: undefined, what, ...(first.why !== undefined && { why }) };
  });
}

/** One line for each cause or fix. */
export function warningsOf(entries: readonly Entry[], dealers: readonly Dealer[]): string[] {
  const joined = joinDealers(entries, dealers).entries();
  // Entries without a fix are separate.
  const groups = Map.groupBy(joined, ([index, { fix }]) => fix ?? index);
  return Array.from(groups.values(), (group) => {
    const more = group.length - SAME_FIX;
    const texts = group.slice(0, SAME_FIX).flatMap(([, { what, why }]) => [what, why]);
    const rest = more > 0 ? `And ${more} more like these.` : '';
    return [...texts, rest, group[0]?.[1].fix].filter(Boolean).join(' ');
  });
}

/** Attention entries with fixes, grouped by fix. */
export function attentionLines(
  entries: BuildReport['attention'],
  dealers: readonly Dealer[],
): string[] {
  const attention = joinDealers(entries, dealers);
  if (attention.length === 0) return [];
  const lines: string[] = [];
  // A single entry gets more lines.
  const most = attention.length === 1 ? 3 : 1;
  let shownCount = 0;
  for (const entries of Map.groupBy(attention, ({ fix }) => fix).values()) {
    const more = entries.length - SAME_FIX;
    const block = [
      ...entries.slice(0, SAME_FIX).flatMap(({ what }) => fitted(what, '  ', most)),
      ...(more > 0 ? [`  and ${more} more like these`] : []),
      ...fitted(entries[0]?.fix ?? 'See the report.', '    ', 2),
    ];
    if (shownCount > 0 && lines.length + block.length > ATTENTION_LINES) break;
    lines.push(...block);
    shownCount += entries.length;
  }
  const remainingCount = attention.length - shownCount;
  return [
    'Needs attention:',
    ...lines,
    ...(remainingCount > 0
      ? [`  And ${remainingCount} more (see "attention" in the report).`]
      : []),
  ];
}
