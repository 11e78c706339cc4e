import type { Random } from '../../src/sample-service/data/random.ts';
import type { Fault } from '../support/sample-service/faults.ts';
import type { SampleService } from '../support/sample-service/index.ts';
import { type Alteration, alteredBody, BARE_WAYS, MALFORMED_WAYS } from './answers.ts';

/** Number of dealers. The last one is new: it was never published before a seed begins. */
export const DEALERS = 3;
export const dealerId = (index: number): number => 7001 + index;

/** Response of a dealer's service in a night. */
export type Answer =
  /** The real stock. */
  | 'whole'
  /** An empty list. */
  | 'empty'
  /** An unusable body. */
  | 'none'
  /** A refusal. */
  | 'refused'
  /** A response that contains the key. */
  | 'leak'
  /** The real stock without any usable media. */
  | 'bare'
  /** The real stock with one malformed record. */
  | 'malformed';

interface Told {
  fault: Fault;
  answer: Answer;
  /** Depends on the speed of the machine. */
  racy?: boolean;
}

const RENAMED = JSON.stringify([{ registration: 'AB10XYZ', updated: 'now', media: [] }]);

const ANSWERS: readonly Told[] = [
  { fault: { status: 500 }, answer: 'none' },
  { fault: { status: 503, headers: { 'retry-after': '0' } }, answer: 'none' },
  { fault: { status: 429, headers: { 'retry-after': '99' } }, answer: 'none' },
  { fault: { status: 401 }, answer: 'refused' },
  { fault: { status: 404 }, answer: 'refused' },
  { fault: { delayMs: 150 }, answer: 'whole', racy: true },
  { fault: { delayMs: 700 }, answer: 'none', racy: true },
  { fault: { hang: true }, answer: 'none', racy: true },
  { fault: { reset: true }, answer: 'none' },
  { fault: { truncate: true }, answer: 'none' },
  { fault: { body: '<!doctype html>[{' }, answer: 'none' },
  { fault: { body: '[]' }, answer: 'empty' },
  { fault: { body: '{"Success":false,"Message":"no"}' }, answer: 'refused' },
  { fault: { body: RENAMED }, answer: 'none' },
  { fault: { body: '{}' }, answer: 'none' },
];

const PICTURES: readonly { fault: Fault; racy?: boolean }[] = [
  { fault: { status: 404 } },
  { fault: { status: 500 } },
  { fault: { reset: true } },
  { fault: { truncate: true } },
  { fault: { hang: true }, racy: true },
  { fault: { body: '<svg xmlns="http://www.w3.org/2000/svg"/>' } },
  { fault: { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } } },
  { fault: { delayMs: 100 }, racy: true },
];

/** A fault of the service or of a picture, and its effect on a dealer's response. */
export interface Drawn {
  /** The body of a leak is created later, because it contains the key of that night. */
  fault: Fault;
  answer?: Answer;
  /** Difference between the body and the stock of the fault's dealer. */
  alteration?: Alteration;
}

/** A fault for the service. @param keys configured keys, by index of the dealer. */
export function armed(
  { fault, answer, alteration }: Drawn,
  keys: readonly string[],
  { data, baseUrl }: Pick<SampleService, 'data' | 'baseUrl'>,
): Fault {
  if (alteration) {
    const vehicles = data.dealers.find(({ id }) => id === fault.dealerId)?.vehicles ?? [];
    return { ...fault, body: alteredBody(alteration, vehicles, baseUrl) };
  }
  if (answer !== 'leak') return fault;
  const label = keys.find((_, dealer) => dealerId(dealer) === fault.dealerId) ?? '';
  const item = { id: 1, type: 'Image', label, mediaUrl: 'https://cars.example/1.jpg' };
  const vehicle = { vrm: 'AB10XYZ', dateUpdated: '2026-03-01T00:00:00Z', mediaList: [item] };
  return { ...fault, body: JSON.stringify([vehicle]) };
}

const steadyOnly = <T extends { racy?: boolean }>(all: readonly T[], steady: boolean): T[] =>
  all.filter(({ racy }) => !steady || !racy);

function serviceFault(random: Random, steady: boolean, dealer?: number): Drawn {
  const { fault, answer } = random.pick(steadyOnly(ANSWERS, steady));
  const of = dealer === undefined ? {} : { dealerId: dealerId(dealer) };
  return { fault: { route: 'media', ...fault, ...of }, answer };
}

/** A fault that leaves one dealer without its response. */
function failure(random: Random, steady: boolean, dealer: number): Drawn {
  for (;;) {
    const drawn = serviceFault(random, steady, dealer);
    if (drawn.answer !== 'whole') return drawn;
  }
}

function pictureFault(random: Random, steady: boolean): Drawn {
  const { fault } = random.pick(steadyOnly(PICTURES, steady));
  // Ids of media begin with the number of their dealer.
  const match = random.chance(0.4) ? { match: `/pictures/${random.int(1, DEALERS)}` } : {};
  return { fault: { route: 'picture', ...fault, ...match } };
}

/**
 * Faults of one night: none, several of any kind, or two dealers that fail in different ways.
 *
 * @param steady only faults that affect every build of the night equally.
 */
export function drawFaults(random: Random, steady: boolean): Drawn[] {
  const kind = random.next();
  if (kind < 0.2) return [];
  const dealer = random.int(0, DEALERS - 1);
  if (kind < 0.23)
    return [{ fault: { route: 'media', dealerId: dealerId(dealer) }, answer: 'leak' }];
  if (kind < 0.55) {
    const other = (dealer + random.int(1, DEALERS - 1)) % DEALERS;
    const first = failure(random, steady, dealer);
    let second = failure(random, steady, other);
    while (second.answer === first.answer) second = failure(random, steady, other);
    return [first, second, ...(random.chance(0.3) ? [pictureFault(random, steady)] : [])];
  }
  return Array.from({ length: random.int(1, 3) }, () => {
    const times = !steady && random.chance(0.5) ? { times: random.int(1, 3) } : {};
    const drawn = random.chance(0.6)
      ? serviceFault(random, steady, random.chance(0.6) ? random.int(0, DEALERS - 1) : undefined)
      : pictureFault(random, steady);
    return { ...drawn, fault: { ...drawn.fault, ...times } };
  });
}

/** Altered responses of one dealer, mostly none. */
export function drawAlterations(random: Random): Drawn[] {
  if (!random.chance(0.3)) return [];
  const vehicle = random.int(0, 99);
  const alteration: Alteration = random.chance(0.6)
    ? { answer: 'bare', how: random.pick(BARE_WAYS) }
    : { answer: 'malformed', how: random.pick(MALFORMED_WAYS), vehicle };
  const fault = { route: 'media', dealerId: dealerId(random.int(0, DEALERS - 1)) } as const;
  return [{ fault, answer: alteration.answer, alteration }];
}

/** Bodies made for a night. */
const MADE: readonly Answer[] = ['leak', 'bare', 'malformed'];

const keepsStatus = (answer: Answer, { body }: Fault): boolean =>
  body !== undefined || MADE.includes(answer);

/**
 * Possible responses of a dealer's service in a night; one if it is certain.
 *
 * @param truth response if a fault only delays it. @param otherwise response without a fault. @param patient
 * whether deadlines are so long that only a fault can prevent a response.
 */
export function possibleAnswers(
  faults: readonly Drawn[],
  dealer: number,
  { truth, otherwise, patient }: { truth: Answer; otherwise: Answer; patient: boolean },
): Set<Answer> {
  const possible = new Set<Answer>(patient ? [] : ['none']);
  for (const { fault, answer } of faults) {
    if (answer === undefined) continue;
    if (fault.dealerId !== undefined && fault.dealerId !== dealerId(dealer)) continue;
    // A late response equals the response in time.
    possible.add(answer === 'whole' ? truth : answer);
    // Altered and truncated bodies have the status of the original response.
    if (truth === 'refused' && (fault.truncate || keepsStatus(answer, fault))) {
      possible.add(truth);
    }
    if (fault.times === undefined) return possible;
  }
  return possible.add(otherwise);
}
