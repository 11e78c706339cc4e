import { type NewSnapshot, prepareSnapshot, type Snapshot } from '../../src/stock/snapshot.ts';

/** A snapshot as a build leaves it that published what it holds. */
export async function writeSnapshot(
  folder: string,
  content: NewSnapshot,
  former?: Snapshot,
): Promise<Snapshot> {
  const { snapshot, accept } = await prepareSnapshot(folder, content, former);
  await accept();
  return snapshot;
}
