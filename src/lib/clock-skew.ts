/** Maximum difference between the clocks of two machines that are right, in milliseconds. */
const CLOCK_SKEW = 5 * 60_000;

/**
 * Whether a stored time is in the future. Then a machine with a wrong clock stored it, or the clock of
 * this machine is behind.
 *
 * @param time as text or in milliseconds since 1970, like `now`.
 */
export const isFuture = (time: string | number, now: number): boolean =>
  new Date(time).getTime() > now + CLOCK_SKEW;
