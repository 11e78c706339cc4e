import { timeText } from '../terminal/progress.ts';
import type { Clock } from './http.ts';

/** Most requests within a window, and its length in milliseconds. */
export interface RateLimit {
  requests: number;
  window: number;
}

export interface RateLimiterOptions {
  /** Name of the host. */
  name: string;
  clock: Clock;
  signal: AbortSignal | undefined;
  pace?: RateLimit | undefined;
  /** Called once, with a text about the wait, for waits of at least two seconds. */
  onWait(text: string): void;
}

/** Shortest wait that is reported, in milliseconds. */
const REPORTED = 2000;

/** Limits the requests to a host: its rate limit and the waits that it asks for apply to all of them. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  /** Times at which the requests of the window were sent, the oldest first. */
  readonly #sent: number[] = [];
  /** Until when the host asked for no requests. */
  #silentUntil = 0;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** Stops sending for `ms` milliseconds, because the host asked for it. */
  silence(ms: number): void {
    this.#silence(ms, `${this.#options.name} asks to wait ${timeText(ms)}.`);
  }

  /** Waits until the host may be asked, and counts it as asked. */
  async take(): Promise<void> {
    const { signal, pace, name, clock } = this.#options;
    while (true) {
      signal?.throwIfAborted();
      const now = clock.now();
      const silent = this.#silentUntil - now;
      if (silent > 0) {
        await clock.sleep(silent, signal);
        continue;
      }
      if (!pace) return;
      while ((this.#sent[0] ?? now) <= now - pace.window) this.#sent.shift();
      if (this.#sent.length < pace.requests) {
        this.#sent.push(now);
        return;
      }
      const pause = (this.#sent[0] ?? now) + pace.window - now;
      this.#silence(pause, `Waiting ${timeText(pause)}: ${name} takes so many requests only.`);
    }
  }

  #silence(ms: number, text: string): void {
    const until = this.#options.clock.now() + ms;
    if (ms >= REPORTED && until > this.#silentUntil + REPORTED) this.#options.onWait(text);
    this.#silentUntil = Math.max(this.#silentUntil, until);
  }
}
