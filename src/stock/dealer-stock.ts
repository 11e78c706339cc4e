/** The vehicles of a dealer in one build, and the dealer's earlier record. */
import type { WithKey } from '../config/load.ts';
import type { DealerConfig } from '../config/schema.ts';
import type { AppError } from '../errors.ts';
import type { AnswerCounts } from './accept.ts';
import type { ControlEffect } from './control.ts';
import type { LastList } from './facts.ts';
import type { DealerList } from './list.ts';
import type { PublishedVehicles } from './refusals.ts';
import type { Vehicle } from './vehicle.ts';
import type { Withdrawn } from './withdrawn.ts';

/** Source of a dealer's vehicles in this run. */
type StockSource =
  /** The response of this run. */
  | 'live'
  /** The snapshot, because this run got no usable response. */
  | 'snapshot'
  /** The snapshot, because too many vehicles or media are missing in this run's response. */
  | 'held'
  /** There is neither a usable response nor a snapshot. */
  | 'none';

/** The snapshot of a dealer: its last accepted response. */
export interface Snapshot {
  /** When a response was last accepted, changed or not, UTC. */
  confirmed: string;
  vehicles: readonly Vehicle[];
  withdrawn: readonly Withdrawn[];
  /** Undefined if the dealer had no stock list. */
  list?: LastList;
}

/** The record of a dealer before the service is called. */
export interface DealerMemory {
  last: Snapshot | undefined;
  /** The vehicles that the published site lists. Undefined if it was not read. */
  live: PublishedVehicles | undefined;
  /** Notes for the report. */
  notes: string[];
}

export interface DealerStock {
  dealer: WithKey<DealerConfig>;
  source: StockSource;
  vehicles: readonly Vehicle[];
  withdrawn: Withdrawn[];
  /** The dealer's stock list. Undefined if none is configured. */
  list?: DealerList;
  /** Whether the published site lists the dealer. Undefined if it was not read. */
  published?: PublishedVehicles['state'];
  /**
   * Why the response could not be compared with earlier vehicles: there is no snapshot, and the vehicles of the
   * published site are unknown.
   */
  notCompared?: string;
  /** Statistics of this run's response, if there was one. */
  counts?: AnswerCounts;
  /**
   * When the used response was last received, UTC. Every run that receives the same response updates this time, so an
   * unchanged response does not become old.
   */
  takenAt?: string;
  /** Why the response of this run is not used. */
  problem?: AppError;
  /** The record of the dealer before this run, if its response is used. */
  before?: Omit<DealerMemory, 'notes'>;
  /** The effect of the dealer's decisions about single vehicles. */
  control?: ControlEffect;
  /** Notes for the report that have no other effect, such as a damaged record. */
  notes: string[];
}
