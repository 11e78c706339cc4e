/** A signal that aborts as soon as one of the given signals does. */
export const firstOfSignals = (...signals: (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined));
