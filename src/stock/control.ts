/** Decisions of the dealer about single vehicles: the file `vehicles.csv`, and `--hide`. */
import path from 'node:path';
import { CsvError } from 'csv-parse/sync';
import { ConfigError, printable } from '../errors.ts';
import { closest, didYouMean } from '../lib/closest.ts';
import { wrongValue } from '../lib/command-line/wrong-argument.ts';
import { readIfThere } from '../lib/files/read.ts';
import { firstOf } from '../lib/terminal/count-text.ts';
import { decodeText } from './decode.ts';
import { comparablePlate } from './plate.ts';
import { type CsvRow, readCsv } from './table.ts';

export const STATUSES = ['available', 'reserved', 'sold'] as const;
export type VehicleStatus = (typeof STATUSES)[number];

/** The decisions about one vehicle. */
export interface ControlRow {
  /** The plate as it is written. */
  plate: string;
  /** Line of the file. Undefined for `--hide`. */
  line?: number;
  hide?: boolean;
  status?: VehicleStatus;
  title?: string;
  /** Media id of the first picture. */
  first?: number;
  /** Media ids that are not shown. */
  without: readonly number[];
  /** Place in lists. Smaller numbers come first. */
  order?: number;
}

/** All decisions, by comparable plate. */
export type Control = ReadonlyMap<string, ControlRow>;

export const NO_CONTROL: Control = new Map();

/** The file that is read if no other is configured. */
const DEFAULT_FILE = 'vehicles.csv';
const COLUMNS = ['plate', 'hide', 'status', 'title', 'first', 'without', 'order'] as const;
/** Mistakes that an error lists. */
const LISTED = 10;
const LONGEST_TITLE = 120;

type Cells = Partial<Record<(typeof COLUMNS)[number], string>>;

const isColumn = (heading: string): boolean =>
  COLUMNS.some((known) => known === heading.toLowerCase());

/** How the cells of a column are read. Undefined if the value is not allowed. */
const ALLOWED = {
  hide: {
    rule: 'yes, or empty',
    read: (text: string) => text.toLowerCase() === 'yes' || undefined,
  },
  status: {
    rule: 'available, reserved, sold, or empty',
    read: (text: string) => STATUSES.find((status) => status === text.toLowerCase()),
  },
  title: {
    rule: `at most ${LONGEST_TITLE} characters`,
    read: (text: string) => (text.length <= LONGEST_TITLE ? text : undefined),
  },
  first: { rule: 'the id of one picture, such as 90017', read: idIn },
  without: {
    rule: 'ids of pictures and videos, separated by spaces, such as 90017 90018',
    read: (text: string) => {
      const ids = text.split(/\s+/).map(idIn);
      return ids.every((id) => id !== undefined) ? ids : undefined;
    },
  },
  order: {
    rule: 'a number, such as 1',
    read: (text: string) => (/^-?\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined),
  },
} as const;

function idIn(text: string): number | undefined {
  return /^-?\d{1,16}$/.test(text) ? Number(text) : undefined;
}

/** Absolute path of the file with the decisions. */
export const controlFile = ({ file, site }: ControlSettings): string =>
  path.resolve(path.dirname(file), site.vehicles ?? DEFAULT_FILE);

interface ControlSettings {
  /** The configuration file. */
  file: string;
  site: { vehicles?: string | undefined };
}

/**
 * Reads the decisions. Without the setting, the file may be missing.
 *
 * @param hide values of `--hide`: plates, separated by commas.
 * @throws {ConfigError} the file cannot be read, or has mistakes: all of them are listed.
 */
export function readControl(config: ControlSettings, hide: readonly string[] = []): Control {
  const name = config.site.vehicles ?? DEFAULT_FILE;
  const bytes = readBytes(config, name);
  const rows = bytes ? parseControl(decodeText(bytes, name).text, name) : new Map();
  for (const plate of hide.flatMap((value) => value.split(/[,;\n]/)).map((one) => one.trim())) {
    const key = comparablePlate(plate);
    if (key === '' && plate !== '') {
      throw wrongValue('hide', 'It is not a number plate.', 'Name plates, separated by commas.');
    }
    if (key !== '') rows.set(key, { without: [], ...rows.get(key), plate, hide: true });
  }
  return rows;
}

function readBytes(config: ControlSettings, name: string): Uint8Array | undefined {
  const unreadable = (why: string, cause?: unknown) =>
    new ConfigError({
      code: 'vehicles-file-unreadable',
      what: `The file ${name} could not be read.`,
      why,
      fix: 'Check site.vehicles; a relative path counts from the configuration file.',
      cause,
    });
  let bytes: Uint8Array | undefined;
  try {
    bytes = readIfThere(controlFile(config));
  } catch (cause) {
    throw unreadable((cause as Error).message, cause);
  }
  if (bytes === undefined && config.site.vehicles !== undefined) throw unreadable('It is missing.');
  return bytes;
}

/** The decisions in the text of a file. */
export function parseControl(text: string, name: string): Map<string, ControlRow> {
  const mistakes: string[] = [];
  const refuse = (cause?: unknown): never => {
    throw new ConfigError({
      code: 'vehicles-file-invalid',
      what: `The file ${name} cannot be used.`,
      why: printable(firstOf(mistakes, LISTED)),
      fix: 'Correct it: docs/vehicles.md explains the columns. Nothing was published.',
      cause,
    });
  };
  let records: CsvRow[];
  try {
    records = readCsv(text, (headings) => headings.filter(isColumn).length);
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    mistakes.push(cause.message);
    return refuse(cause);
  }
  const [heading, ...body] = records;
  const columns = (heading?.cells ?? []).map((cell) => cell.toLowerCase());
  for (const column of columns) {
    if (isColumn(column)) continue;
    mistakes.push(
      `The column "${column}" is not known.${didYouMean(column, COLUMNS)} Columns are: ${COLUMNS.join(', ')}.`,
    );
  }
  if (!columns.includes('plate')) mistakes.push('The first line names no column "plate".');
  if (mistakes.length > 0) refuse();
  const rows = new Map<string, ControlRow>();
  for (const { cells, line } of body) {
    const row = rowOf(
      Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])),
      line,
      mistakes,
    );
    const extra = cells.slice(columns.length).filter((cell) => cell !== '');
    if (extra.length > 0) {
      mistakes.push(`Line ${line} has more cells than the first line: "${extra[0]}".`);
    }
    const key = comparablePlate(row.plate);
    const former = rows.get(key);
    if (key === '') mistakes.push(`Line ${line}, plate: "${row.plate}" is not a number plate.`);
    else if (former) {
      mistakes.push(`Line ${line}, plate: "${row.plate}" is also in line ${former.line}.`);
    }
    rows.set(key, row);
  }
  if (mistakes.length > 0) refuse();
  return rows;
}

function rowOf(cells: Cells, line: number, mistakes: string[]): ControlRow {
  const row: ControlRow = { plate: cells.plate ?? '', line, without: [] };
  for (const [column, { rule, read }] of Object.entries(ALLOWED)) {
    const cell = cells[column as keyof typeof ALLOWED] ?? '';
    if (cell === '') continue;
    const value = read(cell);
    if (value !== undefined) Object.assign(row, { [column]: value });
    else {
      const meant = column === 'status' ? didYouMean(cell, STATUSES) : '';
      mistakes.push(`Line ${line}, ${column}: "${cell}" is not allowed, only ${rule}.${meant}`);
    }
  }
  return row;
}

export const isHidden = (control: Control, vrm: string): boolean =>
  control.size > 0 && control.get(comparablePlate(vrm))?.hide === true;

interface Controlled<M> {
  vrm: string;
  media: M[];
}

/** Vehicles as they are shown: without hidden vehicles and media, each with its chosen first picture. */
export function shownVehicles<
  M extends { kind: 'image' | 'video'; id: number },
  T extends Controlled<M>,
>(vehicles: readonly (T & Controlled<M>)[], control: Control): readonly T[] {
  if (control.size === 0) return vehicles;
  return vehicles.flatMap((vehicle) => {
    const { hide, first, without = [] } = control.get(comparablePlate(vehicle.vrm)) ?? {};
    if (hide) return [];
    if (first === undefined && without.length === 0) return [vehicle];
    const media = vehicle.media.filter(({ id }) => !without.includes(id));
    const cover = media.find(({ kind, id }) => kind === 'image' && id === first);
    const others = media.filter((one) => one !== cover);
    return [{ ...vehicle, media: cover ? [cover, ...others] : media }];
  });
}

/** The effect of the decisions on a dealer's vehicles. */
export interface ControlEffect {
  /** Hidden vehicles. */
  hidden: number;
  /** Comparable plates of the rows that match one of its vehicles. */
  matched: string[];
}

/** @param vehicles as the service or the record has them. */
export function effectOf(
  control: Control,
  vehicles: readonly { vrm: string }[],
  withdrawn: readonly { vrm: string }[],
): ControlEffect {
  if (control.size === 0) return { hidden: 0, matched: [] };
  const keys = [...vehicles, ...withdrawn].map(({ vrm }) => comparablePlate(vrm));
  return {
    hidden: vehicles.filter(({ vrm }) => isHidden(control, vrm)).length,
    matched: [...new Set(keys)].filter((key) => control.has(key)),
  };
}

/** Ids of media in the decisions that the vehicles do not have, in words. */
export function unknownMedia(
  control: Control,
  vehicles: readonly Controlled<{ kind: 'image' | 'video'; id: number }>[],
): string[] {
  if (control.size === 0) return [];
  return vehicles.flatMap(({ vrm, media }) => {
    const { first, without = [], plate, line } = control.get(comparablePlate(vrm)) ?? {};
    const missing = [
      ...(first === undefined || media.some(({ kind, id }) => kind === 'image' && id === first)
        ? []
        : [`no picture ${first} (first)`]),
      ...without.flatMap((id) =>
        media.some((one) => one.id === id) ? [] : [`no picture or video ${id} (without)`],
      ),
    ];
    return missing.map((what) => `${plate} (line ${line}) has ${what}`);
  });
}

/** A decision that matches no vehicle, in words. @param known comparable plates, for a suggestion. */
export function unmatchedText(
  { plate, line }: Pick<ControlRow, 'plate' | 'line'>,
  known: readonly string[] = [],
): string {
  const meant = closest(comparablePlate(plate), known);
  const asides = [line && `line ${line}`, meant && `did you mean ${meant}?`].filter(Boolean);
  return asides.length > 0 ? `${plate} (${asides.join('; ')})` : plate;
}
