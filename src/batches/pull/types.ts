import type { LoadedConfig, WithKey } from '../../config/load.ts';
import type { AccountConfig } from '../../config/schema.ts';
import type { Secret } from '../../config/secret.ts';
import type { DriftFinding } from '../model/drift.ts';
import type { Interval } from '../model/reach.ts';
import type { HistoryStore } from '../store/open.ts';
import type { Applied } from './apply.ts';

export interface PullOptions {
  store: HistoryStore;
  service: LoadedConfig['service'];
  account: WithKey<AccountConfig>;
  /** Days to ask for instead of the account's own `daysOfHistory`. */
  days?: number | undefined;
  /** Do everything, but store nothing. */
  dryRun?: boolean;
  /** Needed where persons were erased by e-mail or telephone number. */
  hashKey?: Secret | undefined;
  now?: () => number;
  /** Called once, where another pull of the history is waited for. */
  waiting?: () => void;
  signal?: AbortSignal;
}

export interface PullResult extends Omit<Applied, 'findings' | 'outdated'> {
  account: string;
  /** When the answer was asked for, ISO 8601. */
  at: string;
  days: number;
  /** Whether more days than usual were asked for, because pulls were missed. */
  widened: boolean;
  received: number;
  quarantined: number;
  /** Quarantined records of earlier pulls that can be read now. */
  recovered: number;
  findings: readonly DriftFinding[];
  /** Stretches that this pull gave up for good. */
  holes: readonly Interval[];
  /** Holes of earlier pulls that this one filled. */
  filled: readonly Interval[];
}
