import type { MediaProgress } from '../../images/pipeline/types.ts';
import type { RestoreProgress } from '../../images/published/restore.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { bytesText, type Console, timeText } from '../../lib/terminal/progress.ts';
import { addCounts } from './dealer-report.ts';

/** Progress of a step, or a message, from any process of a build. */
export type ProgressEvent =
  | { kind: 'fetch' | 'line' | 'warn'; text: string }
  | ({ kind: 'images' } & MediaProgress)
  | ({ kind: 'restore' } & RestoreProgress)
  | { kind: 'pages'; rendered: number; kept: number }
  | { kind: 'publish' };

/** Reports progress. @param from number of the reporting process. The first is 0. */
export type Notify = (event: ProgressEvent, from?: number) => void;

/** With more dealers than this, responses are shown as temporary progress instead of permanent lines. */
const LISTED_DEALERS = 4;

/** Shows the progress of a build, summed over its processes. */
export class BuildProgress {
  readonly #console: Console;
  readonly #dealers: number;
  #answered = 0;
  #started: number | undefined;
  /** The last event of each kind, by process. */
  readonly #last = new Map<string, Map<number, ProgressEvent>>();

  constructor(console: Console, dealers: number) {
    this.#console = console;
    this.#dealers = dealers;
  }

  notify(event: ProgressEvent, from = 0): void {
    if (event.kind === 'warn') this.#console.warn(event.text);
    else if (event.kind === 'line') this.#console.line(event.text);
    else if (event.kind === 'fetch') this.#showFetch(event.text);
    else {
      const last = this.#last.get(event.kind) ?? new Map<number, ProgressEvent>();
      this.#last.set(event.kind, last.set(from, event));
      const sum: Record<string, number> = {};
      for (const { kind: _, ...counts } of last.values()) addCounts(sum, counts);
      this.#show(event.kind, sum);
    }
  }

  #showFetch(text: string): void {
    this.#answered++;
    // A long list would push the summary off the screen.
    if (this.#dealers <= LISTED_DEALERS) this.#console.line(text);
    else this.#console.progress(`Fetch: ${this.#answered} of ${this.#dealers} dealers, ${text}`);
  }

  #show(kind: ProgressEvent['kind'], sum: Record<string, number>): void {
    const { total = 0, done = 0, failed = 0, bytes = 0, rendered, kept } = sum;
    if (kind === 'pages') {
      this.#console.progress(`Pages: ${rendered} made, ${kept} kept`);
    } else if (kind === 'publish') {
      this.#console.progress('Publish');
    } else if (kind === 'restore') {
      this.#console.progress(
        `Images: ${done} of ${countText(total, 'thumbnail')} from the published site, ${bytesText(bytes)}`,
        done / total,
      );
    } else if (total > 0) {
      this.#started ??= performance.now();
      const rate = done / ((performance.now() - this.#started) / 1000) || 0;
      const remaining = rate > 0 ? timeText(((total - done) / rate) * 1000) : '–';
      this.#console.progress(
        `Images: ${done} of ${total}${failed ? `, ${failed} failed` : ''}, ${remaining} left, ${rate.toFixed(1)}/s, ${countText(sum.outputsMade ?? 0, 'thumbnail')}, ${bytesText(sum.downloadedBytes ?? 0)}`,
        done / total,
      );
    }
  }
}
