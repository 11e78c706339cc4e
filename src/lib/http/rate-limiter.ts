import { timeText } from '../terminal/progress.ts';
import type { Clock } from './http.ts';

/** Most requests within so many milliseconds. */
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
  /** Called with the text for a wait of at least two seconds, once. */
  onWait(text: string): void;
}

/** Waits from which on they are reported. */
const REPORTED = 2000;

/** When a host may be asked: what it asks to wait, and its pace, hold for all requests. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  /** When the last requests of the window were sent, the oldest first. */
  readonly #sent: number[] = [];
  /** The host asked for silence until then. */
  #silentUntil = 0;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** Nothing is sent for so many milliseconds, because the host asked for it. */
  silence(ms: number): void {
    this.#silence(ms, `${this.#options.name} asks to wait ${timeText(ms)}.`);
  }

  /** Waits until the host may be asked, and counts it as asked. */
  async take(uncounted = false): Promise<void> {
    const { signal, pace, name, clock } = this.#options;
    while (true) {
      signal?.throwIfAborted();
      const now = clock.now();
      const silent = this.#silentUntil - now;
      if (silent > 0) {
        await clock.sleep(silent, signal);
        continue;
      }
      if (!pace || uncounted) return;
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
