import { z } from 'zod';
import { mediaCountsSchema } from '../../images/counts.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import { problemSchema } from '../../lib/output-schema.ts';
import { feedCountsSchema } from '../../site/vehicle-feeds/feed.ts';
import { countsSchema } from '../../stock/accept.ts';

const count = z.int().min(0);
const counts = z.record(z.string(), count);

const attentionSchema = problemSchema.extend({
  dealer: z.int().optional().describe('Id of the dealer.'),
});

const waitingSchema = z.strictObject({ vehicles: count, pictures: count });

const dealerReportSchema = z.strictObject({
  id: z.int(),
  slug: z.string(),
  formerSlug: z
    .string()
    .optional()
    .describe('The slug of its published pages, if this build changed their addresses.'),
  name: z.string(),
  state: z
    .enum(['fresh', 'degraded', 'held', 'left-out', 'failed'])
    .describe('Result of this build for the dealer.'),
  source: z.enum(['live', 'snapshot', 'held', 'none']).describe('Where its vehicles come from.'),
  takenAt: z.string().optional().describe('When the response in use was received, UTC.'),
  ageSeconds: count.optional().describe('Age of the response in use when the build began.'),
  vehicles: countsSchema.shape.vehicles.extend({
    kept: count.describe(
      'Vehicles whose record was quarantined, shown as they were last published.',
    ),
    used: count,
    hidden: count.describe('Vehicles that vehicles.csv or --hide hides.'),
    withdrawn: count,
  }),
  waiting: waitingSchema
    .optional()
    .describe('Work for the next build, because the time limit of --for was reached.'),
  pictures: z.strictObject({
    listed: count,
    used: count,
    failed: count,
    missing: count.describe('Failed pictures without thumbnails of an earlier build.'),
    reason: z
      .strictObject({ code: z.string(), message: z.string() })
      .optional()
      .describe('Why most of the failed pictures failed.'),
  }),
  videos: z.strictObject({ listed: count, embedded: count, linked: count }),
  items: countsSchema.shape.items,
  quarantine: z
    .array(z.strictObject({ code: z.string(), path: z.string(), message: z.string() }))
    .describe('The first quarantined records and items.'),
  quarantineCodes: counts,
  unknownTypes: counts,
  unknownFields: counts,
  duplicateVrms: z.array(z.string()),
  keptVrms: z
    .array(z.string())
    .describe(
      'The first plates whose record or some media are unusable. Published ones are shown.',
    ),
  facts: z
    .strictObject({
      source: z
        .enum(['list', 'last', 'none'])
        .describe('The list that is used: of this run, the copy of the last build, or none.'),
      rows: count,
      matched: count.describe('Vehicles with a row.'),
      rowsWithoutVehicle: count,
      vehiclesWithoutRow: count,
      unmatchedRows: z.array(z.string()).describe('The first plates without a vehicle.'),
      unmatchedVehicles: z.array(z.string()).describe('The first vehicles without a row.'),
      problems: z
        .array(z.string())
        .describe('Rows and cells that cannot be used: each kind with its first examples.'),
      problemCount: count.describe('All rows and cells that cannot be used.'),
      unusedColumns: z.array(z.string()).describe('Headings of unused columns.'),
    })
    .optional()
    .describe("The dealer's own stock list."),
  problem: problemSchema.optional().describe('Why the response of this build is not in use.'),
  notes: z.array(z.string()),
});

/** `build-report.json`: the report of a build with any outcome. */
export const reportSchema = z.strictObject({
  version: z.literal(1),
  outcome: z.enum(['published', 'degraded', 'unchanged', 'not-published']),
  exitCode: z.int(),
  startedAt: z.string(),
  durationMs: count,
  steps: z
    .record(z.string(), count)
    .describe('Milliseconds by step, of the process that took longest.'),
  cpu: z
    .record(z.string(), count)
    .optional()
    .describe('CPU milliseconds by step, of all processes that build dealers.'),
  pages: count,
  rendered: count.optional().describe('Pages that were rendered. The others are unchanged.'),
  waiting: waitingSchema
    .optional()
    .describe('All work for the next build, because the time limit of --for was reached.'),
  dealers: z.array(dealerReportSchema),
  media: mediaCountsSchema.optional(),
  pictureFailures: z
    .array(
      z.strictObject({
        key: z.string(),
        code: z.string(),
        message: z.string(),
        standIn: z.boolean(),
      }),
    )
    .describe('The first pictures that failed.'),
  pictureFailureCodes: counts,
  unmatchedEmbeds: counts.describe('Hosts of hosted videos that no provider matches.'),
  feeds: z.array(feedCountsSchema).optional().describe("Counts of each feed's vehicles."),
  attention: z
    .array(attentionSchema)
    .describe('Problems that need attention. With --strict, the exit code is then 8.'),
  notes: z.array(z.string()),
  problem: problemSchema.optional().describe('Why nothing was published.'),
});

export type BuildReport = z.infer<typeof reportSchema>;
export type DealerReport = z.infer<typeof dealerReportSchema>;

/** Writes the report atomically into an existing folder, after checking its schema, since other programs read it. */
export async function writeReport(file: string, report: BuildReport): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify(reportSchema.parse(report), null, 2)}\n`);
}
