import type { BatchRecord } from '../../src/contract/batch.ts';
import { randomOf } from '../../src/sample-service/data/random.ts';
import { batchRecord } from './batch-record.ts';
import { DAY, iso } from './batches.ts';

interface Life {
  id: number;
  created: number;
  sent: number;
  views: number[];
  acted: number | null;
  lateEdit: number | null;
}

/** True history of a year: every batch at any moment. */
export class World {
  readonly lives: Life[];

  constructor({
    start,
    days,
    perDay,
    seed,
  }: { start: number; days: number; perDay: number; seed: number }) {
    const random = randomOf(seed).next;
    this.lives = Array.from({ length: days * perDay }, (_, index) => {
      const created =
        Math.floor((start + (index / perDay + random() / perDay) * DAY) / 1000) * 1000;
      const sent = created + Math.floor(random() * 7200) * 1000;
      const views = Array.from(
        { length: Math.floor(random() ** 2 * 12) },
        () => Math.floor((sent + random() ** 3 * 60 * DAY) / 1000) * 1000,
      ).sort((a, b) => a - b);
      const [first] = views;
      return {
        id: 1000 + index,
        created,
        sent,
        views,
        acted: first !== undefined && random() < 0.3 ? first + 3_600_000 : null,
        lateEdit: random() < 0.1 ? created + (20 + Math.floor(random() * 20)) * DAY : null,
      };
    });
  }

  private stateOf({ id, created, sent, views, acted, lateEdit }: Life, now: number): BatchRecord {
    const seen = views.filter((view) => view <= now);
    return batchRecord({
      BatchId: id,
      MarketingContactId: id % 3 === 0 ? 0 : 50_000 + id,
      DateCreated: iso(created),
      SendingUserName: `Sender ${id % 7}`,
      Title: lateEdit !== null && lateEdit <= now ? `Edited later ${id}` : `Your video ${id}`,
      RecipientEmail: `person${id}@customers.example`,
      RecipientMobile: id % 2 === 0 ? `+4477009${String(id).padStart(5, '0')}` : '',
      DateSent: sent <= now ? iso(sent) : null,
      LandingPageFirstWatched: seen[0] === undefined ? null : iso(seen[0]),
      LandingPageLastWatched: seen.length === 0 ? null : iso(seen.at(-1) ?? 0),
      LandingPageWatchCount: seen.length,
      VideoPlayCount: Math.floor(seen.length * 1.5),
      ImageLinkClicks: Math.floor(seen.length / 2),
      SocialClicks: Math.floor(seen.length / 3),
      SearchClicks: Math.floor(seen.length / 4),
      ...(acted !== null &&
        acted <= now && {
          CustomerActionState: 'accepted',
          CustomerActionDate: iso(acted),
          CustomerActionPrice: 120.5,
        }),
    });
  }

  /** Every batch that exists at this moment, in its current state. */
  at(now: number): BatchRecord[] {
    return this.lives
      .filter(({ created }) => created <= now)
      .map((life) => this.stateOf(life, now));
  }
}
