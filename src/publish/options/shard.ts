import { hash } from 'node:crypto';
import { ConfigError, printable } from '../../errors.ts';

/** File that marks a folder as a shard; it lies beside the pages, and is not published. */
export const SHARD_RECORD = 'shard.json';

/** One shard of a site that several machines build. */
export interface Shard {
  /** From 1. */
  number: number;
  /** How many shards there are. */
  count: number;
  /** Ids of its dealers, from a plan; without them a hash of the id decides. */
  dealers?: readonly number[] | undefined;
  /** Names the run that the shards belong to: shards of two runs make no site. */
  run: string;
}

/** More shards than this are a mistake: no CI runs so many jobs. */
export const MOST_SHARDS = 1000;

const wrong = (what: string, why: string, fix: string): ConfigError =>
  new ConfigError({ code: 'argument-shard', what, why, fix });

/**
 * Reads `--shard i/n`, `--dealers` and `--run`.
 *
 * @throws {ConfigError} they are no shard.
 */
export function readShard(
  text: string,
  { dealers, run = '' }: { dealers?: string | undefined; run?: string | undefined } = {},
): Shard {
  const [, i, n] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const [number, count] = [Number(i), Number(n)];
  if (!(number >= 1 && number <= count && count <= MOST_SHARDS)) {
    throw wrong(
      `--shard ${printable(text)} is no part of a site.`,
      `It is written i/n, with i from 1 to n, and n at most ${MOST_SHARDS}.`,
      'Write --shard 1/4 for the first of four parts.',
    );
  }
  if (dealers === undefined) return { number, count, run };
  const ids = dealers.split(',').filter((id) => id.trim() !== '');
  if (!ids.every((id) => /^\s*\d+\s*$/.test(id))) {
    throw wrong(
      `--dealers ${printable(dealers)} is no list of dealers.`,
      'It is the ids of dealers with commas between them.',
      'Take it from npm run plan.',
    );
  }
  return { number, count, run, dealers: ids.map(Number) };
}

/** The shard, from 1, that a dealer belongs to where no plan says so: always the same. */
export function shardNumberOf(dealerId: number, count: number): number {
  const sum = Buffer.from(hash('sha256', `dealer ${dealerId}`, 'hex').slice(0, 12), 'hex');
  return (sum.readUIntBE(0, 6) % count) + 1;
}

/**
 * The dealers of a shard, in the order of the configuration.
 *
 * @throws {ConfigError} the plan names dealers that the configuration does not have.
 */
export function dealersOf<D extends { id: number }>(all: readonly D[], shard: Shard): D[] {
  const { dealers, number, count } = shard;
  if (!dealers) return all.filter(({ id }) => shardNumberOf(id, count) === number);
  const unknown = dealers.filter((id) => !all.some((dealer) => dealer.id === id));
  if (unknown.length > 0) {
    throw wrong(
      `--dealers names ${unknown.join(', ')}, which the configuration does not have.`,
      'The plan was made from another configuration.',
      'Make the plan again with npm run plan.',
    );
  }
  return all.filter(({ id }) => dealers.includes(id));
}
