/**
 * Number and time of a release, as a name for a folder: `000012-2026-03-02T02-00-00-000Z`. The number
 * gives the order, even if a clock was wrong.
 */
const ID = /^(\d{6,})-(\d{4,}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)$/;

export const isId = (name: string): boolean => ID.test(name);
export const numberOf = (id: string): number => Number(ID.exec(id)?.[1] ?? 0);
export const idOf = (number: number, time: number): string =>
  `${String(number).padStart(6, '0')}-${new Date(time).toISOString().replace(/[:.]/g, '-')}`;
/** ISO 8601. */
export const timeOf = (id: string): string => id.replace(ID, '$2:$3:$4.$5');
