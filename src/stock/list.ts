/** Loads the stock lists of dealers. If a list cannot be used, the list of the dealer's record is used instead. */
import type { LoadedConfig, WithKey } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import {
  AppError,
  ConfigError,
  type ErrorDetails,
  GateError,
  MachineError,
  printable,
} from '../errors.ts';
import { countText, firstOf } from '../lib/terminal/count-text.ts';
import { decodeText } from './decode.ts';
import { changeTimes } from './fact-times.ts';
import { type DealerFacts, type LastList, parseFacts, type ReadList } from './facts.ts';
import { oldList } from './old-list.ts';
import { atPlate, keyAt, plateKey } from './plate.ts';
import { type NameOf, namedFacts } from './plate-names.ts';
import { type Amounts, hasOtherUnit, mayFollow } from './plausible.ts';
import { acceptOptions, isLarge, lossToken } from './refusals.ts';
import { type Listed, listName, readSource, type SourceOptions } from './source.ts';

/** A problem that needs a decision by the user. */
type ListMatter = Pick<ErrorDetails, 'code' | 'what' | 'fix'>;

export interface DealerList {
  /** Undefined if there is no usable list, not even an earlier one. */
  facts: LastList | undefined;
  /** The list of this run, if it could be read. */
  read: ReadList | undefined;
  /** Why the list of this run is not used. */
  problem: AppError | undefined;
  matters: ListMatter[];
  notes: string[];
  /** Encoding of the list of this run. */
  encoding?: string;
}

type Dealer = Pick<WithKey<DealerConfig>, 'id' | 'name' | 'slug' | 'stock' | 'listKey'>;

/** Maximum age of a downloaded list during development, in milliseconds. Builds always download lists. */
export const LIST_MAX_AGE = 3_600_000;

interface ListOptions extends SourceOptions {
  config: Pick<LoadedConfig, 'file' | 'media' | 'publish'>;
  vehicles: readonly { vrm: string }[];
  last: LastList | undefined;
  /** Milliseconds since 1970. */
  now: number;
  acceptLoss: readonly string[];
  /** Replaces plates with names, if plates are not public. */
  nameOf?: NameOf;
}

const dealerText = ({ id, name }: Dealer) => `dealer ${id} (${printable(name)})`;

/** @throws {ConfigError} the list cannot be read. @throws {UnreachableError} the list cannot be downloaded. */
async function readList(dealer: Listed, options: SourceOptions) {
  const { stock } = dealer;
  const name = listName(stock.file);
  const { text, encoding } = decodeText(await readSource(dealer, options), name, stock.locale);
  if (text.trimStart().startsWith('<')) {
    throw new ConfigError({
      code: 'stock-file-page',
      what: `The stock list ${name} is a web page or XML, not CSV or JSON.`,
      why: 'It begins with "<". A URL that needs a login often returns the login form.',
      fix: 'Set the URL of the file itself. If it needs credentials, set stock.credentialsEnv. If it is XML, export CSV instead.',
    });
  }
  return { read: parseFacts(text, stock, name), encoding };
}

const factsOf = (vrm: string, { byPlate }: Pick<DealerFacts, 'byPlate'>) => atPlate(byPlate, vrm);

/** Describes losses since the last list. */
function lossesIn(read: ReadList, last: LastList, { vehicles, config }: ListOptions): string[] {
  const lastMatches = vehicles.filter(({ vrm }) => factsOf(vrm, last));
  const numbers = [
    ['row', last.rows, read.rows],
    ['row with a price', last.prices, read.prices, 'rows with a price'],
    [
      'vehicle with a row',
      lastMatches.length,
      lastMatches.filter(({ vrm }) => factsOf(vrm, read)).length,
      'vehicles with a row',
    ],
  ] as const;
  return numbers.flatMap(([singular, lastCount, count, plural]) => {
    const loss = lastCount - count;
    if (loss <= 0 || (count > 0 && !isLarge(loss, lastCount, config.publish))) return [];
    return [`${count} instead of ${countText(lastCount, singular, plural)}`];
  });
}

/** Whether most of the changed prices equal the last mileages: two headings were swapped. */
function areSwapped(read: ReadList, last: LastList, { vehicles }: ListOptions): boolean {
  const changed = vehicles
    .map(({ vrm }) => ({ now: factsOf(vrm, read)?.price, before: factsOf(vrm, last) }))
    .filter(({ now, before }) => now !== before?.price);
  const swapped = changed.filter(({ now, before }) => now !== undefined && now === before?.mileage);
  return swapped.length * 2 > changed.length;
}

/** The error that explains why a readable list is not used. */
function refusalOf(read: ReadList, dealer: Dealer, options: ListOptions): AppError | undefined {
  const { last, acceptLoss } = options;
  const hadNewline = last?.endsWithNewline && !read.endsWithNewline && read.rows > 0;
  const incompleteReason =
    read.cut ??
    (hadNewline ? 'Its last line has no line break, unlike in the previous list.' : undefined);
  const losses = last ? lossesIn(read, last, options) : [];
  // An export without its currency signs would relabel all prices.
  const hasOtherCurrency =
    !dealer.stock?.currency && last?.prices && read.prices && last.currency !== read.currency;
  const isSwapped = last !== undefined && areSwapped(read, last, options);
  const reasons = [incompleteReason, losses, isSwapped, read.mileageUnit, read.currency];
  const token = lossToken(dealer, [last?.rows, last?.prices], [read.rows, reasons]);
  if (acceptLoss.includes(token)) return undefined;
  const accept = last
    ? ` If the list is right, build once, or start the workflow, with ${acceptOptions([token])}`
    : '';
  if (incompleteReason !== undefined) {
    return new GateError({
      code: 'stock-list-incomplete',
      what: `The stock list of ${dealerText(dealer)} is incomplete.`,
      why: incompleteReason,
      fix: `Upload the complete list again.${accept}`,
    });
  }
  if (losses.length > 0) {
    return new GateError({
      code: 'stock-list-loss',
      what: `The stock list of ${dealerText(dealer)} has ${(read.rows === 0 ? losses.slice(0, 1) : losses).join(', ')}.`,
      why: 'The loss exceeds publish.maxVehicleLoss.',
      fix: `Check the export.${accept}`,
    });
  }
  if (isSwapped) {
    return new GateError({
      code: 'stock-list-swapped',
      what: `The stock list of ${dealerText(dealer)} has mileages as prices.`,
      why: 'Most changed prices equal the last mileages of the same vehicles.',
      fix: `Correct the headings of the list.${accept}`,
    });
  }
  if (last && hasOtherUnit(read, last)) {
    return new GateError({
      code: 'stock-list-unit',
      what: `The stock list of ${dealerText(dealer)} has mileages in ${read.mileageUnit} instead of ${last.mileageUnit}.`,
      why: 'All mileages would change.',
      fix: `Write the unit into the heading, or set dealers[].stock.locale.${accept}`,
    });
  }
  if (!hasOtherCurrency) return undefined;
  return new GateError({
    code: 'stock-list-currency',
    what: `The stock list of ${dealerText(dealer)} has prices in ${read.currency} instead of ${last.currency}.`,
    why: 'All prices would change.',
    fix: `Set dealers[].stock.currency.${accept}`,
  });
}

/** A matter if no vehicle has a row. */
export function unmatchedMatter(
  read: ReadList,
  { stock, ...dealer }: Dealer,
  vehicles: readonly { vrm: string }[],
): ListMatter[] {
  if (vehicles.length === 0 || vehicles.some(({ vrm }) => factsOf(vrm, read))) return [];
  const headings = read.columns.map(({ heading }) => heading);
  const [row] = read.ids;
  return [
    {
      code: 'stock-list-unmatched',
      what: `0 of ${countText(vehicles.length, 'vehicle')} of ${dealerText(dealer)} ${vehicles.length === 1 ? 'has' : 'have'} a row in the stock list ${listName(stock?.file ?? '')}. The file has the columns ${firstOf(headings, 20)}.`,
      fix: row
        ? `Check stock.columns.plate. The service has "${printable(vehicles[0]?.vrm ?? '')}", the list "${printable(row.name)}".`
        : 'Check the export. The list has no usable rows.',
    },
  ];
}

/** Leaves out rows like `MAB123` if there are the vehicles `M-AB 123` and `MA-B 123`: both pages would show the price. */
function withoutUnclear(read: ReadList, vehicles: readonly { vrm: string }[]): ReadList {
  const keys = new Set(vehicles.map(({ vrm }) => plateKey(vrm)).filter((key) => key.includes('-')));
  const byPlate = new Map(read.byPlate);
  const problems: string[] = [];
  for (const [plate, [first, other]] of Map.groupBy(keys, (key) => key.replace('-', ''))) {
    if (other === undefined || !byPlate.delete(plate)) continue;
    problems.push(`The plate ${plate} can be ${first} or ${other}, so its row is not used`);
  }
  return {
    ...read,
    byPlate,
    problems: [...problems, ...read.problems],
    problemCount: read.problemCount + problems.length,
  };
}

/** Leaves out prices and mileages that differ too much from the last accepted values. */
function withoutJumps(read: ReadList, dealer: Dealer, options: ListOptions) {
  const { last, vehicles, acceptLoss } = options;
  const byPlate = new Map(read.byPlate);
  const omitted = new Map<string, Amounts>();
  const jumps: [string, string, number, number][] = [];
  for (const { vrm } of last ? vehicles : []) {
    const plate = keyAt(byPlate, vrm);
    if (!last || plate === undefined) continue;
    const lastValues = { ...atPlate(last.byPlate, vrm), ...atPlate(last.omitted, vrm) };
    for (const key of ['price', 'mileage'] as const) {
      const value = byPlate.get(plate)?.[key];
      const previous = lastValues[key];
      if (value === undefined || previous === undefined) continue;
      if (mayFollow(key, value, previous)) continue;
      jumps.push([vrm, key, previous, value]);
      omitted.set(plate, { ...omitted.get(plate), [key]: previous });
    }
  }
  // The order of the service's responses changes.
  const token = lossToken(dealer, 'jumps', jumps.toSorted());
  if (jumps.length === 0 || acceptLoss.includes(token)) {
    return { facts: { ...read, byPlate, omitted: new Map<string, Amounts>() }, matters: [] };
  }
  for (const [plate, values] of omitted) {
    const facts = { ...byPlate.get(plate) };
    for (const key of Object.keys(values)) delete facts[key as keyof Amounts];
    byPlate.set(plate, facts);
  }
  const examples = jumps.map(
    ([vrm, key, previous, value]) => `${printable(vrm)} ${key} ${previous} → ${value}`,
  );
  const matter: ListMatter = {
    code: 'stock-list-jumps',
    what: `The stock list of ${dealerText(dealer)} has ${countText(jumps.length, 'price or mileage', 'prices or mileages')} of more than 5 times or less than a fifth of the last value, which ${jumps.length === 1 ? 'is' : 'are'} left out: ${firstOf(examples, 3)}.`,
    fix: `Correct the list. If it is right, build once, or start the workflow, with ${acceptOptions([token])}`,
  };
  return { facts: { ...read, byPlate, omitted }, matters: [matter] };
}

/** Why a list is not used, and its replacement. */
const problemMatter = (problem: AppError, dealer: Dealer, consequence: string): ListMatter => ({
  code: problem.code,
  what: `${problem.code.startsWith('stock-list') ? '' : `Dealer ${dealer.id} (${printable(dealer.name)}): `}${problem.message} ${problem.why ?? ''} ${consequence}`,
  fix: problem.fix,
});

/** A list whose rows are joined by the names of vehicles. Its rows keep their plates for reports. */
function namedList(read: ReadList, nameOf: NameOf): ReadList {
  const plates = new Map(
    read.ids.flatMap(({ keys }) => keys.map((key) => [key, keys[0] ?? key] as const)),
  );
  return {
    ...read,
    byPlate: namedFacts(read.byPlate, nameOf, (key) => plates.get(key) ?? key),
    ids: read.ids.map(({ name, keys }) => ({
      name,
      keys: keys.map((key) => plateKey(nameOf(key))),
    })),
  };
}

/** The stock list of a dealer. Undefined if none is configured. Unusable lists do not throw. */
export async function loadList(
  dealer: Dealer,
  options: ListOptions,
): Promise<DealerList | undefined> {
  const { last, vehicles, now } = options;
  const { stock } = dealer;
  if (!stock) return undefined;
  let result: Awaited<ReturnType<typeof readList>>;
  try {
    result = await readList({ ...dealer, stock }, options);
  } catch (problem) {
    if (!(problem instanceof AppError) || problem instanceof MachineError) throw problem;
    const consequence = last
      ? 'The copy of the last build is used.'
      : 'Its vehicles are shown without prices and facts.';
    const matters = [problemMatter(problem, dealer, consequence)];
    return { facts: last, read: undefined, problem, matters, notes: [] };
  }
  const { encoding } = result;
  const named = options.nameOf ? namedList(result.read, options.nameOf) : result.read;
  const read = withoutUnclear(named, vehicles);
  const problem = refusalOf(read, dealer, options);
  if (problem && last) {
    const matters = [problemMatter(problem, dealer, 'The copy of the last build is used.')];
    return { facts: last, read, problem, matters, notes: [], encoding };
  }
  const { facts, matters } = withoutJumps(read, dealer, options);
  if (problem) matters.push(problemMatter(problem, dealer, 'The other lines are used.'));
  matters.push(...unmatchedMatter(read, dealer, vehicles));
  const listed = {
    ...facts,
    since: last?.hash === read.hash ? last.since : new Date(now).toISOString().slice(0, 10),
    changed: changeTimes(facts, options),
  };
  const old = oldList(listed, dealer, options);
  matters.push(...old.matters);
  return { facts: listed, read, problem: undefined, matters, notes: old.notes, encoding };
}
