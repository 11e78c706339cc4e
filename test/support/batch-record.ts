import type { BatchRecord } from '../../src/contract/batch.ts';

/** A record in the format of the interface. Omitted fields are "none". */
export function batchRecord(fields: Partial<BatchRecord> & { BatchId: number }): BatchRecord {
  return {
    MarketingContactId: 0,
    DateCreated: '2026-01-05T10:00:00Z',
    SendingUserName: 'Sam Sender',
    Title: 'Your video',
    ProductType: 'vehicle_walkaround',
    RecipientEmail: '',
    RecipientMobile: '',
    Data: null,
    DateSent: null,
    LandingPageFirstWatched: null,
    LandingPageLastWatched: null,
    LandingPageWatchCount: 0,
    CustomerActionState: null,
    CustomerActionDate: null,
    CustomerActionDescription: null,
    CustomerActionPrice: 0,
    CustomerActionPriceSuffix: null,
    CustomerActionPaymentOutcome: null,
    CustomerRating: null,
    CustomerRatingAdditional: null,
    VideoPlayCount: 0,
    ImageLinkClicks: 0,
    SocialClicks: 0,
    SearchClicks: 0,
    ...fields,
  };
}
