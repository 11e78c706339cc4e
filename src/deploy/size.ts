import path from 'node:path';
import type { SiteFile } from '../change-set/change-set.ts';
import { fittingPlan, hostOf, type SiteSize } from '../config/hosts.ts';
import { tooLarge } from './host-api/errors.ts';
import type { HostId } from './host-api/types.ts';

/** The size of a site. */
export function sizeOf(files: Iterable<SiteFile>): SiteSize {
  const size = { files: 0, bytes: 0, largestFile: 0, fullestFolder: 0 };
  const folders = new Map<string, number>();
  for (const file of files) {
    const folder = path.posix.dirname(file.path);
    const count = (folders.get(folder) ?? 0) + 1;
    folders.set(folder, count);
    size.files += 1;
    size.bytes += file.size;
    size.largestFile = Math.max(size.largestFile, file.size);
    size.fullestFolder = Math.max(size.fullestFolder, count);
  }
  return size;
}

/**
 * @returns a note for the user. Undefined if the cheapest plan accepts this size.
 * @throws {GateError} no plan of the host accepts it.
 */
export function checkSize(id: HostId, size: SiteSize): string | undefined {
  const host = hostOf(id);
  if (!host) return undefined;
  const { cheapest, fitting, exceeded } = fittingPlan(host, size);
  if (exceeded.length === 0) return undefined;
  const limits = exceeded
    .map(({ limit, expected, allowed }) => `${limit} ${expected}, allowed ${allowed}`)
    .join('; ');
  if (!fitting) throw tooLarge(host.name, limits);
  return `${host.name}: the plan "${cheapest.name}" is too small (${limits}). Use "${fitting.name}".`;
}
