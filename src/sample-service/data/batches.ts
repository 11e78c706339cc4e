import type { BatchRecord } from '../../contract/batch.ts';
import { timestamp } from '../../contract/media.ts';
import names from './names.json' with { type: 'json' };
import { type Random, randomOf } from './random.ts';
import type { SampleAccount, SampleDealer } from './store.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAYS = 100;

/** Maximum batches of one day. Day and slot determine a BatchId that never changes. */
const SLOTS = 8;
const IDS_PER_ACCOUNT = 1_000_000;
const SENDERS_PER_ACCOUNT = 3;
const PRODUCTS = Object.entries(names.titles);

/** One account per dealer, named by the first word of the dealer's name. */
export function generateAccounts(
  seed: number,
  now: number,
  dealers: readonly SampleDealer[],
): SampleAccount[] {
  return dealers.map((dealer, index) => ({
    name: accountName(dealer),
    customerId: `C-${1001 + index}`,
    pathId: String(index + 1),
    batches: batchesOf(seed, now, index),
  }));
}

function accountName(dealer: SampleDealer): string {
  const [first = ''] = dealer.name.toLowerCase().split(' ');
  return first === 'dealer' ? `dealer-${dealer.id}` : first;
}

/**
 * The batches of the last hundred days, newest first. The history of a day depends only on the seed and the
 * day. `now` only decides how much of it has happened, so a service that starts again a day later has the
 * same history and one more day.
 */
function batchesOf(seed: number, now: number, accountIndex: number): BatchRecord[] {
  const senders = sendersOf(seed, accountIndex);
  const today = Math.floor(now / DAY_MS);
  const batches: BatchRecord[] = [];
  for (let day = today - DAYS; day <= today; day++) {
    for (const [slot, created] of creationsOn(seed, accountIndex, day).entries()) {
      if (created > now) continue;
      const id = accountIndex * IDS_PER_ACCOUNT + day * SLOTS + slot;
      batches.push(batch(randomOf(seed, 'batch', id), now, { id, created, senders }));
    }
  }
  return batches.reverse();
}

function sendersOf(seed: number, accountIndex: number): string[] {
  const random = randomOf(seed, 'senders', accountIndex);
  return Array.from(
    { length: SENDERS_PER_ACCOUNT },
    () => `${random.pick(names.firstNames)} ${random.pick(names.lastNames)}`,
  );
}

/** Times of the batches of a day, counted from 1970: in working hours, few on Saturdays. */
function creationsOn(seed: number, accountIndex: number, day: number): number[] {
  const random = randomOf(seed, 'day', accountIndex, day);
  // The first day of 1970 was a Thursday.
  const weekday = (day + 4) % 7;
  const count = weekday === 0 ? 0 : weekday === 6 ? random.int(0, 2) : random.int(2, 4);
  const times = Array.from({ length: count }, () => random.int(8 * 3600, 18 * 3600) * 1000);
  return times.sort((a, b) => a - b).map((time) => day * DAY_MS + time);
}

/** The state of a batch at `now`. It draws the same random numbers for every `now`, so only time changes it. */
function batch(
  random: Random,
  now: number,
  { id, created, senders }: { id: number; created: number; senders: readonly string[] },
): BatchRecord {
  const [product, title] = random.pick(PRODUCTS);
  const sender = random.pick(senders);
  const first = random.pick(names.firstNames);
  const last = random.pick(names.lastNames);
  const contact = random.chance(0.3) ? 0 : 40_000 + random.int(1, 9999);
  const email = `${first}.${last}${random.int(1, 99)}@example.com`.toLowerCase();
  // 07700 900000 to 900999 is reserved for fictitious numbers.
  const mobile = `07700900${String(random.int(0, 999)).padStart(3, '0')}`;
  const hasContact = { email: random.chance(0.85), mobile: random.chance(0.55) };
  const sentAt = created + random.int(2, 240) * MINUTE_MS;
  const sent = random.chance(0.93) && sentAt <= now ? sentAt : undefined;
  const views = viewsOf(random, sentAt).filter(({ at }) => sent !== undefined && at <= now);
  return {
    BatchId: id,
    MarketingContactId: contact,
    DateCreated: timestamp(created),
    SendingUserName: sender,
    Title: `${title}, ${first}`,
    ProductType: product,
    RecipientEmail: hasContact.email ? email : '',
    RecipientMobile: hasContact.mobile ? mobile : '',
    Data: null,
    DateSent: sent === undefined ? null : timestamp(sent),
    ...watching(views),
    ...customerAction(random, product, views[0]?.at, now),
  };
}

type Views = ReturnType<typeof viewsOf>;

/** The visits of the landing page of a batch, oldest first, with counts of the actions there. A third has none. */
function viewsOf(random: Random, sent: number) {
  const count = random.chance(0.7) ? 1 + Math.floor(random.next() ** 2 * 6) : 0;
  let at = sent + random.next() ** 3 * 4 * DAY_MS;
  return Array.from({ length: count }, () => {
    const view = {
      at,
      plays: random.int(0, 2),
      images: random.chance(0.4) ? random.int(1, 3) : 0,
      social: random.chance(0.12) ? 1 : 0,
      search: random.chance(0.1) ? 1 : 0,
    };
    at += HOUR_MS / 4 + random.next() ** 2 * 5 * DAY_MS;
    return view;
  });
}

/** Counts of the landing page. Null and 0 without a visit, as documented (2.3). */
function watching(views: Views) {
  const sum = (countOf: (view: Views[number]) => number) =>
    views.reduce((total, view) => total + countOf(view), 0);
  const first = views[0];
  const last = views.at(-1);
  return {
    LandingPageFirstWatched: first ? timestamp(first.at) : null,
    LandingPageLastWatched: last ? timestamp(last.at) : null,
    LandingPageWatchCount: views.length,
    VideoPlayCount: sum(({ plays }) => plays),
    ImageLinkClicks: sum(({ images }) => images),
    SocialClicks: sum(({ social }) => social),
    SearchClicks: sum(({ search }) => search),
  };
}

/** The fields of a customer's action. Null and 0 without an action, as documented (2.3). */
function customerAction(random: Random, product: string, watched: number | undefined, now: number) {
  const hasAction = random.chance(0.25);
  const hasPrice = product === 'service_inspection' || product === 'part_exchange_appraisal';
  const isAccepted = random.chance(0.7);
  const price = random.int(4, 90) * 5 + 0.5 * random.int(0, 1);
  const hasRating = random.chance(0.2);
  const rating = random.int(3, 5);
  const delay = random.int(5, 2000) * MINUTE_MS;
  const isDue = watched !== undefined && watched + delay <= now;
  const at = isDue && hasAction ? timestamp(watched + delay) : null;
  const isRated = isDue && hasRating;
  return {
    CustomerActionState: at && (isAccepted ? 'accepted' : 'declined'),
    CustomerActionDate: at,
    CustomerActionDescription:
      at && (isAccepted ? 'Customer asked to go ahead' : 'Customer declined for now'),
    CustomerActionPrice: at && hasPrice ? price : 0,
    CustomerActionPriceSuffix: at && hasPrice ? 'inc VAT' : null,
    CustomerActionPaymentOutcome: at && hasPrice && isAccepted ? 'paid' : null,
    CustomerRating: isRated ? rating : null,
    CustomerRatingAdditional: isRated && rating === 5 ? 'Very clear, thank you' : null,
  };
}
