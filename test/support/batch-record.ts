import { type BatchRecord, batchRecordSchema } from '../../src/contract/batch.ts';

/** The "none" of each field: null, an empty text or 0. */
const NONE = Object.fromEntries(
  Object.entries(batchRecordSchema.shape).map(([name, schema]) => [
    name,
    [null, '', 0].find((none) => schema.safeParse(none).success),
  ]),
);

/** A record in the format of the interface. Omitted fields are "none". */
export const batchRecord = (fields: Partial<BatchRecord> & { BatchId: number }): BatchRecord => ({
  ...(NONE as BatchRecord),
  DateCreated: '2026-01-05T10:00:00Z',
  SendingUserName: 'Sam Sender',
  Title: 'Your video',
  ProductType: 'vehicle_walkaround',
  ...fields,
});
