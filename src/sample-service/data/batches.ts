import type { BatchRecord } from '../../contract/batch.ts';
import { FIRST_NAMES, LAST_NAMES, PRODUCT_TYPES, TITLES } from './names.ts';
import { type Random, randomOf } from './random.ts';
import { timestamp } from './time.ts';
import type { SampleAccount, SampleDealer } from './types.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const YEAR_DAYS = 365;
const FIRST_BATCH_ID = 500_000;
const BATCHES_PER_ACCOUNT = 150;

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

/** A year of batches before `now`, newest first. */
function batchesOf(seed: number, now: number, accountIndex: number): BatchRecord[] {
  const batches = Array.from({ length: BATCHES_PER_ACCOUNT }, (_, index) => {
    const random = randomOf(seed, 'batch', accountIndex, index);
    // Squared, so that recent weeks hold more batches than the far past.
    const ageDays = random.next() ** 1.6 * YEAR_DAYS;
    return { random, created: now - Math.round(ageDays * DAY_MS) };
  }).sort((a, b) => a.created - b.created);
  return batches
    .map(({ random, created }, index) =>
      batch(random, now, created, FIRST_BATCH_ID + accountIndex * 100_000 + index),
    )
    .reverse();
}

function batch(random: Random, now: number, created: number, BatchId: number): BatchRecord {
  const product = random.pick(PRODUCT_TYPES);
  const sender = `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
  const first = random.pick(FIRST_NAMES);
  const last = random.pick(LAST_NAMES);
  const ageDays = (now - created) / DAY_MS;
  const sentAt = created + random.int(2, 240) * 60_000;
  const sent = sentAt < now && random.chance(0.93) ? sentAt : null;
  const seen = watching(random, now, sent, ageDays);
  const byMobile = random.chance(0.55);
  return {
    BatchId,
    MarketingContactId: random.chance(0.3) ? 0 : 40_000 + random.int(1, 9999),
    DateCreated: timestamp(created),
    SendingUserName: sender,
    Title: `${TITLES[product]}, ${first}`,
    ProductType: product,
    RecipientEmail: random.chance(0.85)
      ? `${first}.${last}${random.int(1, 99)}@example.com`.toLowerCase()
      : '',
    // 07700 900000 to 900999 is kept free for invented numbers.
    RecipientMobile: byMobile ? `07700900${String(random.int(0, 999)).padStart(3, '0')}` : '',
    Data: null,
    DateSent: sent === null ? null : timestamp(sent),
    ...seen,
    ...customerAction(random, seen.LandingPageLastWatched, product),
  };
}

/** What happened on the landing page: older batches had more time to be watched and clicked. */
function watching(random: Random, now: number, sent: number | null, ageDays: number) {
  const watched = sent !== null && random.chance(0.35 + 0.5 * Math.min(ageDays / 20, 1));
  const first = sent === null ? 0 : sent + random.next() ** 2 * 5 * DAY_MS;
  if (!watched || first >= now) {
    return {
      LandingPageFirstWatched: null,
      LandingPageLastWatched: null,
      LandingPageWatchCount: 0,
      VideoPlayCount: 0,
      ImageLinkClicks: 0,
      SocialClicks: 0,
      SearchClicks: 0,
    };
  }
  const growth = 1 + Math.min(ageDays / 30, 8);
  const watchCount = 1 + Math.floor(random.next() ** 2 * growth * 2);
  const span = Math.min(now - first, watchCount * 2 * DAY_MS);
  const last = watchCount === 1 ? first : first + Math.max(HOUR_MS / 4, random.next() * span);
  return {
    LandingPageFirstWatched: timestamp(first),
    LandingPageLastWatched: timestamp(Math.min(last, now)),
    LandingPageWatchCount: watchCount,
    VideoPlayCount: random.int(0, watchCount + 1),
    ImageLinkClicks: Math.floor(random.next() ** 2 * growth),
    SocialClicks: random.chance(0.25) ? random.int(1, 1 + Math.floor(growth / 2)) : 0,
    SearchClicks: random.chance(0.2) ? random.int(1, 1 + Math.floor(growth / 3)) : 0,
  };
}

/** The fields a customer's own action fills; null and 0 without one, as documented (2.3). */
function customerAction(random: Random, lastWatched: string | null, product: string) {
  const acted = lastWatched !== null && random.chance(0.22);
  const priced = product === 'service_inspection' || product === 'part_exchange_appraisal';
  const accepted = random.chance(0.7);
  const price = priced ? random.int(4, 90) * 5 + 0.5 * random.int(0, 1) : 0;
  const rated = lastWatched !== null && random.chance(0.18);
  const rating = random.int(3, 5);
  return {
    CustomerActionState: acted ? (accepted ? 'accepted' : 'declined') : null,
    CustomerActionDate: acted ? lastWatched : null,
    CustomerActionDescription: acted
      ? accepted
        ? 'Customer asked to go ahead'
        : 'Customer said no for now'
      : null,
    CustomerActionPrice: acted ? price : 0,
    CustomerActionPriceSuffix: acted && priced ? 'inc VAT' : null,
    CustomerActionPaymentOutcome: acted && priced && accepted ? 'paid' : null,
    CustomerRating: rated ? rating : null,
    CustomerRatingAdditional: rated && rating === 5 ? 'Very clear, thank you' : null,
  };
}
