/** The vehicles of a dealer in one build, and what is recorded of the dealer before. */
import type { WithKey } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import type { AppError } from '../errors.ts';
import type { AnswerCounts } from './accept.ts';
import type { ControlEffect } from './control.ts';
import type { DealerList, LastList } from './list.ts';
import type { PublishedVehicles } from './refusals.ts';
import type { Vehicle } from './vehicle.ts';
import type { Withdrawn } from './withdrawn.ts';

/** Where a dealer's vehicles of this run come from. */
export type StockSource =
  /** The answer of this run. */
  | 'live'
  /** The last good answer, because this run got no usable one. */
  | 'snapshot'
  /** The last good answer, because this run's lacks too many vehicles or media to be plausible. */
  | 'held'
  /** There is no usable answer at all. */
  | 'none';

/** The last good answer of a dealer. */
export interface LastGood {
  /** When an answer was accepted last, UTC, including one that was the same as before. */
  confirmed: string;
  vehicles: readonly Vehicle[];
  withdrawn: readonly Withdrawn[];
  /** Undefined if the dealer had no stock list. */
  list?: LastList | undefined;
}

/** What is recorded of a dealer before the service is called. */
export interface DealerMemory {
  last: LastGood | undefined;
  /** What the published site lists. Undefined where that was not checked. */
  live: PublishedVehicles | undefined;
  /** To be reported. */
  notes: string[];
}

export interface DealerStock {
  dealer: WithKey<DealerConfig>;
  source: StockSource;
  vehicles: readonly Vehicle[];
  withdrawn: Withdrawn[];
  /** The dealer's stock list. Undefined if none is configured. */
  list?: DealerList | undefined;
  /** What the published site lists of the dealer. Undefined where that was not checked. */
  published?: PublishedVehicles['state'] | undefined;
  /**
   * Why the vehicles of the published site are not known, where the answer could not be compared with a
   * last good one either.
   */
  notCompared?: string | undefined;
  /** What this run's answer held, where there was one. */
  counts?: AnswerCounts | undefined;
  /**
   * When the answer that is used was last received, UTC. Every run that receives the same answer updates
   * it, so an answer that has not changed for days is not days old.
   */
  takenAt?: string | undefined;
  snapshotId?: string | undefined;
  /** Why the answer of this run is not used. */
  problem?: AppError | undefined;
  /** What was recorded of the dealer before this run, if its answer is used. */
  before?: Omit<DealerMemory, 'notes'>;
  /** What the dealer's decisions about single vehicles did. */
  control?: ControlEffect;
  /** Notes for the report without any other effect, such as a damaged record. */
  notes: string[];
}
