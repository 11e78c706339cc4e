/** Decisions of the dealer about single vehicles, from `vehicles.csv` and `--hide`. */
import path from 'node:path';
import { CsvError } from 'csv-parse/sync';
import { ConfigError, printable } from '../errors.ts';
import { closest, didYouMean } from '../lib/closest.ts';
import { wrongValue } from '../lib/command-line/wrong-argument.ts';
import { readIfThere } from '../lib/files/read.ts';
import { reasonOf } from '../lib/files/system-errors.ts';
import { cellText } from './cells.ts';
import { decodeText } from './decode.ts';
import { atPlate, comparablePlate, keyAt, plateKey } from './plate.ts';
import { type CsvRow, readCsv, withoutEmptyEnd } from './table.ts';
import { STATUSES, type VehicleStatus } from './vehicle-facts.ts';

/** The decisions about one vehicle. */
export interface ControlRow {
  /** The plate as written in the file. */
  plate: string;
  /** Line of the file. Undefined for `--hide`. */
  line?: number;
  hide?: boolean;
  status?: VehicleStatus;
  title?: string;
  /** Media id of the first picture. */
  first?: number;
  /** Ids of hidden media. */
  without: readonly number[];
  /** Position in lists. Smaller numbers come first. */
  order?: number;
}

/** All decisions, see `plateKey`. */
export type Control = ReadonlyMap<string, ControlRow>;

export const NO_CONTROL: Control = new Map();

/** Default of `site.vehicles`. */
export const DEFAULT_CONTROL = 'vehicles.csv';
const COLUMNS = ['plate', 'hide', 'status', 'title', 'first', 'without', 'order'] as const;
/** Maximum number of mistakes in an error. */
const LISTED = 10;
const LONGEST_TITLE = 120;

type Cells = Partial<Record<(typeof COLUMNS)[number], string>>;

const isColumn = (heading: string): boolean =>
  COLUMNS.some((column) => column === heading.toLowerCase());

/** Allowed values of each column. `read` returns undefined if a value is not allowed. */
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
    rule: `a text of at most ${LONGEST_TITLE} characters`,
    // Not an error of a spreadsheet.
    read: (text: string) =>
      text.length <= LONGEST_TITLE && cellText(text) !== '' ? text : undefined,
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
  path.resolve(path.dirname(file), site.vehicles ?? DEFAULT_CONTROL);

interface ControlSettings {
  /** The configuration file. */
  file: string;
  site: { vehicles?: string; locale?: string };
}

/**
 * Reads the decisions. If `site.vehicles` is not set, the file may be missing.
 *
 * @param hide values of `--hide`: plates, separated by commas.
 * @throws {ConfigError} the file cannot be read, or has mistakes. The error lists all mistakes.
 */
export function readControl(config: ControlSettings, hide: readonly string[] = []): Control {
  const name = config.site.vehicles ?? DEFAULT_CONTROL;
  const bytes = readBytes(config, name);
  const rows = bytes
    ? parseControl(decodeText(bytes, name, config.site.locale).text, name)
    : new Map();
  for (const plate of hide.flatMap((value) => value.split(/[,;\n]/)).map((plate) => plate.trim())) {
    const key = keyAt(rows, plate) ?? plateKey(plate);
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
      fix: 'Check site.vehicles. A relative path counts from the configuration file.',
      cause,
    });
  let bytes: Uint8Array | undefined;
  try {
    bytes = readIfThere(controlFile(config));
  } catch (cause) {
    throw unreadable(reasonOf(cause), cause);
  }
  if (bytes === undefined && config.site.vehicles !== undefined) throw unreadable('It is missing.');
  return bytes;
}

/** The decisions in the text of a file. */
export function parseControl(text: string, name: string): Map<string, ControlRow> {
  const mistakes: string[] = [];
  const refuse = (cause?: unknown): never => {
    const more = mistakes.length > LISTED ? [`${mistakes.length - LISTED} more.`] : [];
    throw new ConfigError({
      code: 'vehicles-file-invalid',
      what: `The file ${name} cannot be used.`,
      why: printable([...mistakes.slice(0, LISTED), ...more].join(' ')),
      fix: 'Correct it: docs/vehicles.md explains the columns. Nothing was published.',
      cause,
    });
  };
  let records: CsvRow[];
  try {
    records = readCsv(text, (headings) => headings.filter(isColumn).length);
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    mistakes.push(`${cause.message}.`);
    return refuse(cause);
  }
  const [heading, ...body] = records;
  const columns = withoutEmptyEnd(heading?.cells ?? []).map((cell) => cell.toLowerCase());
  for (const [at, column] of columns.entries()) {
    // An empty cell of the second column would cancel a decision.
    if (columns.indexOf(column) < at) mistakes.push(`The column "${column}" is there twice.`);
    if (isColumn(column)) continue;
    mistakes.push(
      `The column "${column}" is not known.${didYouMean(column, COLUMNS)} Columns are: ${COLUMNS.join(', ')}.`,
    );
  }
  if (!columns.includes('plate')) mistakes.push('The first line has no column "plate".');
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
    // Spreadsheets turn plates such as `1E23456` into numbers such as `1,8E+308`.
    const key = plateKey(cellText(row.plate));
    const former = atPlate(rows, row.plate);
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
      const suggestion = column === 'status' ? didYouMean(cell, STATUSES) : '';
      mistakes.push(
        `Line ${line}, ${column}: "${cell}" is not allowed, only ${rule}.${suggestion}`,
      );
    }
  }
  return row;
}

export const isHidden = (control: Control, vrm: string): boolean =>
  control.size > 0 && atPlate(control, vrm)?.hide === true;

interface Controlled<M> {
  vrm: string;
  media: M[];
}

/** Applies the decisions: removes hidden vehicles and media, and moves the chosen picture to the front. */
export function shownVehicles<
  M extends { kind: 'image' | 'video'; id: number },
  T extends Controlled<M>,
>(vehicles: readonly (T & Controlled<M>)[], control: Control): readonly T[] {
  if (control.size === 0) return vehicles;
  return vehicles.flatMap((vehicle) => {
    const { hide, first, without = [] } = atPlate(control, vehicle.vrm) ?? {};
    if (hide) return [];
    if (first === undefined && without.length === 0) return [vehicle];
    const media = vehicle.media.filter(({ id }) => !without.includes(id));
    const cover = media.find(({ kind, id }) => kind === 'image' && id === first);
    const otherMedia = media.filter((item) => item !== cover);
    return [{ ...vehicle, media: cover ? [cover, ...otherMedia] : media }];
  });
}

/** The effect of the decisions on a dealer's vehicles. */
export interface ControlEffect {
  /** Number of hidden vehicles. */
  hidden: number;
  /** Keys of the rows that match a vehicle of the dealer. */
  matched: string[];
}

/** @param vehicles vehicles of the response or the record. */
export function effectOf(
  control: Control,
  vehicles: readonly { vrm: string }[],
  withdrawn: readonly { vrm: string }[],
): ControlEffect {
  if (control.size === 0) return { hidden: 0, matched: [] };
  const keys = [...vehicles, ...withdrawn].flatMap(({ vrm }) => keyAt(control, vrm) ?? []);
  return {
    hidden: vehicles.filter(({ vrm }) => isHidden(control, vrm)).length,
    matched: [...new Set(keys)],
  };
}

/** Describes media ids in the decisions that do not exist. */
export function unknownMedia(
  control: Control,
  vehicles: readonly Controlled<{ kind: 'image' | 'video'; id: number }>[],
): string[] {
  if (control.size === 0) return [];
  return vehicles.flatMap(({ vrm, media }) => {
    const { first, without = [], plate, line } = atPlate(control, vrm) ?? {};
    const missing = [
      ...(first === undefined || media.some(({ kind, id }) => kind === 'image' && id === first)
        ? []
        : [`no picture ${first} (first)`]),
      ...without.flatMap((id) =>
        media.some((item) => item.id === id) ? [] : [`no picture or video ${id} (without)`],
      ),
    ];
    return missing.map((what) => `${plate} (line ${line}) has ${what}`);
  });
}

/** Describes a decision that matches no vehicle. @param plates comparable plates, for a suggestion. */
export function unmatchedText(
  { plate, line }: Pick<ControlRow, 'plate' | 'line'>,
  plates: readonly string[] = [],
): string {
  const suggestion = closest(comparablePlate(plate), plates);
  const question = suggestion && `did you mean ${suggestion}?`;
  const hints = [line && `line ${line}`, question].filter(Boolean);
  return hints.length > 0 ? `${plate} (${hints.join('; ')})` : plate;
}
