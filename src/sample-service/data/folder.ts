import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { batchRecordSchema } from '../../contract/batch.ts';
import { vehicleMediaRecordSchema } from '../../contract/media.ts';
import { ConfigError, type ErrorDetails } from '../../errors.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { PLAIN } from '../../lib/plain-issue.ts';
import type { SampleAccount, SampleData, SampleDealer } from './store.ts';

const dealerFileSchema = z.preprocess(
  (json) => (Array.isArray(json) ? { vehicles: json } : json),
  z.object({
    name: z.string().exactOptional(),
    apiKey: z.string().exactOptional(),
    vehicles: z.array(vehicleMediaRecordSchema),
  }),
);

const accountFileSchema = z.object({
  customerId: z.string(),
  pathId: z.string(),
  apiKey: z.string().exactOptional(),
  batches: z.array(batchRecordSchema),
});

const refused = (what: string, problem: Partial<ErrorDetails> = {}) =>
  new ConfigError({ code: 'sample-data', what, ...problem });

/**
 * Data from a folder in the interface's format: `dealers/ID.json` is an array of vehicle media records
 * (2.1), or `{ name, apiKey, vehicles }`. `accounts/NAME.json` is
 * `{ customerId, pathId, apiKey, batches }` with batch records (2.3). URLs may contain `{base_url}`.
 * One of the folders may be missing.
 *
 * @throws {ConfigError} `sample-data`: no file, a file that is not JSON or breaks the contract.
 */
export async function readDataFolder(folder: string): Promise<SampleData> {
  const dealers = await readAll(path.join(folder, 'dealers'), dealerFileSchema);
  const accounts = await readAll(path.join(folder, 'accounts'), accountFileSchema);
  if (dealers.length + accounts.length === 0) {
    throw refused(`No sample data in ${folder}`, {
      why: 'Neither dealers/ID.json nor accounts/NAME.json exists.',
      fix: 'Name a folder with the files that docs/service.md describes.',
    });
  }
  return {
    dealers: dealers.map(([name, file]): SampleDealer => {
      if (/^\d+$/.test(name)) return { name: `Dealer ${Number(name)}`, ...file, id: Number(name) };
      throw refused(
        `${path.join(folder, 'dealers', `${name}.json`)} is not named by a dealer's id`,
        {
          fix: 'Name it by the whole number of the dealer, such as 7001.json.',
        },
      );
    }),
    accounts: accounts.map(([name, file]): SampleAccount => ({ name, ...file })),
  };
}

async function readAll<T>(folder: string, schema: z.ZodType<T>): Promise<[string, T][]> {
  const names = entriesOf(folder).map(({ name }) => name);
  const files = names.filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (name): Promise<[string, T]> => {
      const file = path.join(folder, name);
      return [path.basename(name, '.json'), parse(file, await readFile(file, 'utf8'), schema)];
    }),
  );
}

function parse<T>(file: string, text: string, schema: z.ZodType<T>): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw refused(`${file} is not JSON`, { cause });
  }
  const { success, data, error } = schema.safeParse(json, PLAIN);
  if (success) return data;
  const why = z.prettifyError(error);
  throw refused(`${file} does not fit the interface`, { why, cause: error });
}
