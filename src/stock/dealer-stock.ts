/** The vehicles of a dealer in one build, and the dealer's earlier record. */
import type { WithKey } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import type { AppError } from '../errors.ts';
import type { AnswerCounts } from './accept.ts';
import type { ControlEffect } from './control.ts';
import type { DealerList, LastList } from './list.ts';
import type { PublishedVehicles } from './refusals.ts';
import type { Vehicle } from './vehicle.ts';
import type { Withdrawn } from './withdrawn.ts';

/** Source of a dealer's vehicles in this run. */
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
  /** When a response was last accepted, UTC, also if it was unchanged. */
  confirmed: string;
  vehicles: readonly Vehicle[];
  withdrawn: readonly Withdrawn[];
  /** Undefined if the dealer had no stock list. */
  list?: LastList | undefined;
}

/** The record of a dealer before the service is called. */
export interface DealerMemory {
  last: LastGood | undefined;
  /** The vehicles that the published site lists. Undefined if it was not read. */
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
  /** Whether the published site lists the dealer. Undefined if it was not read. */
  published?: PublishedVehicles['state'] | undefined;
  /**
   * Why the vehicles of the published site are unknown, if there is also no last good response to compare
   * with.
   */
  notCompared?: string | undefined;
  /** The content of this run's response, if there was one. */
  counts?: AnswerCounts | undefined;
  /**
   * When the answer that is used was last received, UTC. Every run that receives the same answer updates
   * it, so an answer that has not changed for days is not days old.
   */
  takenAt?: string | undefined;
  snapshotId?: string | undefined;
  /** Why the answer of this run is not used. */
  problem?: AppError | undefined;
  /** The record of the dealer before this run, if its response is used. */
  before?: Omit<DealerMemory, 'notes'>;
  /** The effect of the dealer's decisions about single vehicles. */
  control?: ControlEffect;
  /** Notes for the report without any other effect, such as a damaged record. */
  notes: string[];
}
