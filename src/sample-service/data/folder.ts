import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { batchRecordSchema } from '../../contract/batch.ts';
import { vehicleMediaRecordSchema } from '../../contract/media.ts';
import { ConfigError } from '../../errors.ts';
import type { SampleAccount, SampleData, SampleDealer } from './types.ts';

const dealerFileSchema = z.union([
  z.array(vehicleMediaRecordSchema).transform((vehicles) => ({ vehicles })),
  z.object({
    name: z.string().optional(),
    apiKey: z.string().optional(),
    vehicles: z.array(vehicleMediaRecordSchema),
  }),
]);

const accountFileSchema = z.object({
  customerId: z.string(),
  pathId: z.string(),
  apiKey: z.string().optional(),
  batches: z.array(batchRecordSchema),
});

/**
 * Data from a folder in the interface's own format: `dealers/ID.json` is an array of vehicle media
 * records (2.1), or `{ name, apiKey, vehicles }`; `accounts/NAME.json` is
 * `{ customerId, pathId, apiKey, batches }` with batch records (2.3). Addresses may hold
 * `{base_url}`. Either folder may be missing, not both.
 *
 * @throws ConfigError `sample-data` where nothing is found, or a file is no JSON or breaks the contract
 */
export async function readDataFolder(folder: string): Promise<SampleData> {
  const dealers = await readAll(folder, 'dealers', dealerFileSchema);
  const accounts = await readAll(folder, 'accounts', accountFileSchema);
  if (dealers.length + accounts.length === 0) {
    throw new ConfigError({
      code: 'sample-data',
      what: `No sample data in ${folder}`,
      why: 'Neither dealers/ID.json nor accounts/NAME.json is there.',
      fix: 'Name a folder laid out as docs/service.md says.',
    });
  }
  return {
    dealers: dealers.map(([name, file]): SampleDealer => {
      const id = Number(name);
      if (!/^\d+$/.test(name)) {
        throw new ConfigError({
          code: 'sample-data',
          what: `${path.join(folder, 'dealers', `${name}.json`)} is not named by a dealer's id`,
          fix: 'Name it by the whole number of the dealer, such as 7001.json.',
        });
      }
      return { name: `Dealer ${id}`, ...defined(file), id };
    }),
    accounts: accounts.map(([name, file]): SampleAccount => ({ name, ...defined(file) })),
  };
}

/** The same object without the keys whose value is undefined. */
function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;
}

async function readAll<T>(
  folder: string,
  kind: string,
  schema: z.ZodType<T>,
): Promise<[name: string, content: T][]> {
  let names: string[];
  try {
    names = await readdir(path.join(folder, kind));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const files = names.filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (name): Promise<[string, T]> => {
      const file = path.join(folder, kind, name);
      return [path.basename(name, '.json'), parse(file, await readFile(file, 'utf8'), schema)];
    }),
  );
}

function parse<T>(file: string, text: string, schema: z.ZodType<T>): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new ConfigError({ code: 'sample-data', what: `${file} is not JSON`, cause });
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw new ConfigError({
    code: 'sample-data',
    what: `${file} does not fit the interface`,
    why: z.prettifyError(result.error),
    cause: result.error,
  });
}
