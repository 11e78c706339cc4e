import { printable, printableLines } from './printable.ts';

/** Progress of long steps: a bar that is redrawn in place on a terminal, a line every few seconds in CI. */

export interface Console {
  /** A permanent line. */
  line(text: string): void;
  /** A warning: marked, and an annotation in GitHub Actions. */
  warn(text: string): void;
  /**
   * State of a running step: redrawn in place on a terminal, otherwise a line at most every few seconds.
   *
   * @param share the finished part, 0 to 1. A terminal shows it as a bar.
   */
  progress(text: string, share?: number): void;
  /** Ends the line of the bar. */
  finish(): void;
}

interface ConsoleOptions {
  stream: Pick<NodeJS.WritableStream, 'write'> & { isTTY?: boolean; columns?: number };
  quiet?: boolean;
  githubActions?: boolean;
  /** Milliseconds between plain progress lines. */
  interval?: number;
  now?: () => number;
}

/** Characters of a bar between its brackets. */
const BAR = 10;

/** `[####......]  40 %`, in ASCII for every terminal. */
function barText(share: number): string {
  const fraction = Math.min(1, Math.max(0, share));
  const full = Math.floor(fraction * BAR);
  const percent = `${Math.floor(fraction * 100)}`.padStart(3);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${percent} %  `;
}

const annotation = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

export function createConsole(options: ConsoleOptions): Console {
  const { stream, quiet = false, githubActions = false, interval = 5000, now = Date.now } = options;
  const isTerminal = stream.isTTY === true;
  let last = now();
  let hasBar = false;
  const clear = () => {
    if (hasBar) stream.write('\r\u001b[K');
    hasBar = false;
  };
  return {
    line(text) {
      if (quiet) return;
      clear();
      stream.write(`${printableLines(text)}\n`);
    },
    warn(text) {
      clear();
      if (githubActions) stream.write(`::warning::${annotation(printableLines(text))}\n`);
      else stream.write(`Warning: ${printableLines(text)}\n`);
    },
    progress(text, share) {
      if (quiet) return;
      const time = now();
      if (isTerminal) {
        // At most ten frames a second.
        if (hasBar && time - last < 100) return;
        last = time;
        clear();
        const bar = share === undefined ? '' : barText(share);
        stream.write(`${bar}${printable(text)}`.slice(0, (stream.columns || 80) - 1));
        hasBar = true;
      } else if (time - last >= interval) {
        last = time;
        stream.write(`${printable(text)}\n`);
      }
    },
    finish: clear,
  };
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Bytes as people read them: `1.2 MB`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Milliseconds as people read them: `4 s`, `2 min 5 s`. */
export function timeText(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
