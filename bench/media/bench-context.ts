import type { PictureServer } from '../support/picture-server.ts';
import type { Workspace } from '../support/workspace.ts';

/** Input of every measurement of the media benchmark. */
export interface BenchContext {
  workspace: Workspace;
  server: PictureServer;
  /** Runs of each contender. Figures are medians. */
  runs: number;
  /** Sources of a throughput run. */
  sources: number;
  /** Sources of the large memory run. */
  manySources: number;
  /** Whether to run the measurements only as a trial. */
  short: boolean;
}

/** Path of a script of the benchmark. */
export const runner = (name: string): URL => new URL(`../runners/${name}.ts`, import.meta.url);

export const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;
export const seconds = (value: number): string => `${value.toFixed(2)} s`;
