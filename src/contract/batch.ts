import { z } from 'zod';
import { timestampSchema } from './media.ts';

/** "Not shown" in the interface: only null was seen, so any value is accepted. The key may also be missing. */
const unknownNullable = (note: string) => z.unknown().optional().describe(note);

/** A larger number is not a count, and sums of such numbers would be inexact. */
const count = (note: string) => z.int32().describe(note);

const nullableTimestamp = (note: string) => timestampSchema.nullish().describe(note);

/** A batch record, section 2.3. Unknown fields are preserved. */
export const batchRecordSchema = z.looseObject({
  BatchId: z.int().describe('Identifier of the batch.'),
  MarketingContactId: z.int().describe('0 when there is no contact.'),
  DateCreated: timestampSchema.describe('ISO 8601 UTC timestamp.'),
  SendingUserName: z.string().describe('Name of the user who sent the batch.'),
  Title: z.string().describe('Title of the batch.'),
  ProductType: z.string().describe('Product kind, a snake_case word group.'),
  RecipientEmail: z.string().describe('Empty string when unknown.'),
  RecipientMobile: z.string().describe('Empty string when unknown.'),
  Data: unknownNullable('Null when nothing is stored.'),
  DateSent: nullableTimestamp('Null when not yet sent.'),
  LandingPageFirstWatched: nullableTimestamp('Null when never watched.'),
  LandingPageLastWatched: nullableTimestamp('Null when never watched.'),
  LandingPageWatchCount: count('0 when never watched.'),
  CustomerActionState: unknownNullable('Null when no customer action. Values: not shown.'),
  CustomerActionDate: unknownNullable('Null when no customer action.'),
  CustomerActionDescription: unknownNullable('Null when no customer action.'),
  CustomerActionPrice: z.number().describe('0 when no customer action.'),
  CustomerActionPriceSuffix: unknownNullable('Null when none.'),
  CustomerActionPaymentOutcome: unknownNullable('Null when none.'),
  CustomerRating: unknownNullable('Null when none.'),
  CustomerRatingAdditional: unknownNullable('Null when none.'),
  VideoPlayCount: count('Count of video plays.'),
  ImageLinkClicks: count('Count of clicks on image links.'),
  SocialClicks: count('Count of clicks through a social network link.'),
  SearchClicks: count('Count of clicks through a search engine link.'),
});

export type BatchRecord = z.infer<typeof batchRecordSchema>;

/** The success response of MyVideos, section 4.2. */
export const myVideosResponseSchema = z.array(batchRecordSchema);

/** Query of MyVideos, section 4.2. Which parameters are required is not shown. */
export const myVideosQuerySchema = z.object({
  customerId: z.string().describe('Unique identifier of the account.'),
  apiKey: z.string().describe('API key authenticating the third party.'),
  daysOfHistory: z.coerce
    .number()
    .int()
    .min(0)
    .describe('How many days back the queried data set reaches.'),
});

/** Form of a MyVideos key, section 5: groups of 8-4-4-4-12 "hexadecimal-style" characters. */
export const BATCH_KEY_FORM =
  /^[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}$/;

/** Error body of MyVideos, status 404, section 7. */
export const errorBodySchema = z.looseObject({
  Success: z.literal(false).describe('false on error.'),
  Message: z.string().describe('Reason.'),
});

/** The two documented messages of a 404, word for word, section 7. */
export const ERROR_MESSAGES = {
  unknownCustomer: 'CustomerID does not exist',
  malformedKey: 'API key not in correct format (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx)',
} as const;
