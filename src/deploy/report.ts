import { z } from 'zod';
import { problemSchema } from '../lib/output-schema.ts';
import { countText } from '../lib/terminal/count-text.ts';
import { bytesText, timeText } from '../lib/terminal/progress.ts';

const count = z.int().min(0);
const files = z.strictObject({ files: count, bytes: count });

/** The output of `npm run deploy --json`. */
export const deployReportSchema = z.strictObject({
  to: z.string().describe('The host, as --to names it.'),
  form: z.enum(['thin', 'whole']).optional().describe('A change set, or the whole site.'),
  site: files.optional().describe('The whole site.'),
  planned: z
    .strictObject({
      send: files
        .nullable()
        .describe('null if the host reports that only after it received the list.'),
      remove: count,
      unchanged: count,
    })
    .optional()
    .describe('A plan that was not applied (--dry-run).'),
  sent: files.optional().describe('Files that were sent, with their bytes as they are published.'),
  fetched: files.optional().describe('Files that had to be downloaded from the live site.'),
  unchanged: count.optional(),
  removed: count.optional(),
  release: z.string().optional().describe('Earlier deploys for --rollback.'),
  requests: count.optional().describe('Requests to the host.'),
  wireBytes: count.optional().describe('Bytes of all that was sent to the host, lists among them.'),
  receivedBytes: count.optional().describe("Bytes of the host's responses."),
  ms: count.optional().describe('Milliseconds from the start to the end.'),
  live: z
    .enum(['as-sent', 'differs', 'unreachable', 'not-looked-at'])
    .optional()
    .describe('Result of the live check.'),
  indexNow: count.optional().describe('URLs that were reported to search engines.'),
  problem: problemSchema.optional().describe('Why it failed.'),
});

export type DeployReport = z.infer<typeof deployReportSchema>;

/** A deploy's outcome as text. */
export function summaryOf(report: DeployReport): string {
  const { planned, sent, site, removed, unchanged = 0, fetched, requests = 0 } = report;
  const ofSite = site ? ` of ${site.files} (${bytesText(site.bytes)})` : '';
  if (planned) {
    const to = `Nothing was sent. To ${report.to}:`;
    // The host compares files only during a real deploy.
    if (!planned.send)
      return `${to} missing files${ofSite}. The host reports which they are during a deploy.`;
    const { files, bytes } = planned.send;
    return `${to} ${countText(files, 'file')} (${bytesText(bytes)}) would be sent, ${planned.remove} removed, ${planned.unchanged} unchanged${ofSite}.`;
  }
  const removedText = removed === undefined ? '' : `, ${removed} removed`;
  const wire = report.wireBytes ? `, ${bytesText(report.wireBytes)} with lists and encoding` : '';
  const downloaded = fetched?.files ? `, ${fetched.files} of them from the live site` : '';
  return `Deployed to ${report.to}: ${countText(sent?.files ?? 0, 'file')} sent (${bytesText(sent?.bytes ?? 0)}${wire})${downloaded}, ${unchanged} unchanged${ofSite}${removedText}. ${countText(requests, 'request')}, ${timeText(report.ms ?? 0)}.`;
}
