/** What an hourly run costs in a month: figures that were measured, times prices that are yours. */

export interface Platform {
  pictures: number;
  /** Pictures that have other bytes, in each run. */
  changed: number;
  runs: number;
}

/** Measured by the bench. */
export interface UnitCosts {
  /** CPU seconds of a picture over the queue. */
  cpu: number;
  outputs: number;
  /** Bytes of all outputs of a picture. */
  outputBytes: number;
  /** CPU seconds of all coordinators in one run. */
  coordinatorCpu: number;
}

/** Dollars. */
export interface Prices {
  coreHour: number;
  /** A thousand PUT or LIST. */
  written: number;
  /** A thousand GET or HEAD. */
  read: number;
  /** A GB for a month. */
  storage: number;
}

export interface CostRow {
  what: string;
  amount: string;
  dollars: number;
}

const count = (value: number): string => Math.round(value).toLocaleString('en-GB');

/** The rows of a month's bill. */
export function monthlyCosts(
  { pictures, changed, runs }: Platform,
  unit: UnitCosts,
  prices: Prices,
): CostRow[] {
  const coreHours = ((changed * unit.cpu + unit.coordinatorCpu) * runs) / 3600;
  const puts = changed * unit.outputs * runs;
  const gigabytes = (pictures * unit.outputBytes) / 1e9;
  return [
    {
      what: 'CPU: thumbnails and coordinators',
      amount: `${count(coreHours)} core-hours`,
      dollars: coreHours * prices.coreHour,
    },
    {
      what: 'Thumbnails put into the store',
      amount: `${count(puts / 1e6)} million PUT`,
      dollars: (puts / 1000) * prices.written,
    },
    {
      what: 'Thumbnails brought to the coordinators for the pages',
      amount: `${count(puts / 1e6)} million GET`,
      dollars: (puts / 1000) * prices.read,
    },
    {
      what: 'Room in the store',
      amount: `${count(gigabytes)} GB`,
      dollars: gigabytes * prices.storage,
    },
  ];
}

/** What it would cost to ask the store for each output in each run, whether it is there. */
export function askingCosts({ pictures, runs }: Platform, unit: UnitCosts, prices: Prices): number {
  return ((pictures * unit.outputs * runs) / 1000) * prices.read;
}
