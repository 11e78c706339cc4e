import type { PublishConfig } from '../config/schema.ts';

export interface Loss {
  /** Vehicles of the last good answer. */
  before: number;
  /** Those of them that the new answer does not list. */
  gone: string[];
}

/** The vehicles that `after` no longer lists. Sets are compared, not counts: ten swapped are ten gone. */
export function lossBetween(before: readonly string[], after: readonly string[]): Loss {
  const listed = new Set(after);
  return { before: before.length, gone: before.filter((vrm) => !listed.has(vrm)) };
}

/** Whether a loss is too large to be believed without a person saying so. */
export function isSuspicious(
  { before, gone }: Loss,
  { maxVehicleLoss, minVehicleLoss }: Pick<PublishConfig, 'maxVehicleLoss' | 'minVehicleLoss'>,
): boolean {
  if (before === 0 || gone.length === 0) return false;
  if (gone.length === before) return true;
  return gone.length >= minVehicleLoss && gone.length > before * maxVehicleLoss;
}

/** Whether so many records broke the contract that the answer as a whole cannot be trusted. */
export function tooManyQuarantined(
  { received, quarantined }: { received: number; quarantined: number },
  { maxQuarantined }: Pick<PublishConfig, 'maxQuarantined'>,
): boolean {
  return received > 0 && quarantined > received * maxQuarantined;
}
