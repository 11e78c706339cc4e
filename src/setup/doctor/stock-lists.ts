import type { LoadedConfig } from '../../config/load.ts';
import { cut } from '../../lib/cut.ts';
import { countText, firstOf } from '../../lib/terminal/count-text.ts';
import type { ListColumn } from '../../stock/facts.ts';
import { type DealerList, loadList, unmatchedMatter } from '../../stock/list.ts';
import { plateNames } from '../../stock/plate-names.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { type Check, type Finding, finding, passedOn } from '../findings.ts';

/** Maximum length of a sample value, and maximum number of unused columns in the list. */
const LONGEST = 24;
const MOST_UNUSED = 20;

function columnsText(columns: readonly ListColumn[]): string {
  const columnText = ({ heading, field, samples }: ListColumn) =>
    `${heading} → ${field}: ${samples.map((text) => cut(text, LONGEST)).join(' | ') || '(empty)'}`;
  const read = columns.filter(({ field }) => field).map(columnText);
  const unused = columns.filter(({ field }) => !field).map(({ heading }) => heading || '(no name)');
  return [
    ...read,
    ...(unused.length > 0 ? [`not used: ${firstOf(unused, MOST_UNUSED)}`] : []),
  ].join('\n');
}

function* findingsOf(name: string, { read, problem, encoding }: DealerList): Iterable<Finding> {
  if (problem) yield passedOn('files-wrong', problem);
  if (problem || !read) return;
  const { rows, columns, problems, problemCount: count } = read;
  const encodingText = encoding === 'UTF-8' ? '' : `, read as ${encoding}`;
  const summary = `${name}: ${countText(rows, 'row')}${encodingText}`;
  const what = `${summary}. Columns of the stock list:\n${columnsText(columns)}`;
  yield finding('stock-columns', { dealer: name, rows, columns }, what);
  if (count === 0) return;
  const rowsText = `${name}: ${countText(count, 'problem')} in the ${countText(rows, 'row')} of its stock list.\n${problems.join('\n')}`;
  yield finding('stock-rows', { dealer: name, rows, count, problems }, rowsText);
}

/** Reads the stock lists of all dealers, and reports how they are read. @returns usable lists, by dealer. */
export async function* checkLists(config: LoadedConfig): Check<ReadonlyMap<number, DealerList>> {
  const nameOf = plateNames(config);
  const lists = new Map<number, DealerList>();
  const now = Date.now();
  for (const dealer of config.dealers) {
    const options = { config, nameOf, vehicles: [], last: undefined, now, acceptLoss: [] };
    const list = await loadList(dealer, options);
    if (!list) continue;
    yield* findingsOf(dealer.name, list);
    if (list.facts) lists.set(dealer.id, list);
  }
  return lists;
}

/** Reports lists without any row of a vehicle. */
export const checkMatches = (
  { dealers }: LoadedConfig,
  lists: ReadonlyMap<number, DealerList>,
  vehicles: readonly Vehicle[],
): Finding[] =>
  dealers.flatMap((dealer) => {
    const read = lists.get(dealer.id)?.read;
    const dealerVehicles = vehicles.filter(({ dealerId }) => dealerId === dealer.id);
    const matters = read ? unmatchedMatter(read, dealer, dealerVehicles) : [];
    return matters.map(({ what, fix = '' }) =>
      finding('stock-unmatched', { dealer: dealer.name }, what, { fix }),
    );
  });
