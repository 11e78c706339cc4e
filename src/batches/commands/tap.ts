import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readHashKey } from '../../config/environment.ts';
import { EXIT } from '../../errors.ts';
import type { Run } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { PLAIN } from '../../lib/plain-issue.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { PII_MODES } from '../export/columns.ts';
import { line } from '../export/text.ts';
import { DEFAULT_STORE } from '../store/places.ts';
import { catalogOf, catalogSchema } from '../tap/catalog.ts';
import { stateSchema, tap, tapRendering } from '../tap/tap.ts';
import { existingStore, guarded, print } from './history.ts';
import type { TAP_OPTIONS } from './options.ts';

/** Settings of the tap, as Meltano passes them. */
const settingsSchema = z.strictObject({
  store: z.string().min(1).default(DEFAULT_STORE),
  pii: z.enum(PII_MODES).default('none'),
  account: z.string().optional(),
  calling_code: z.int().min(1).max(999).optional(),
});

/** Reads the JSON file of an option, if it is given. Errors never repeat its content. */
async function jsonFile<T>(option: string, file: string | undefined, schema: z.ZodType<T>) {
  if (file === undefined) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, 'utf8'));
  } catch {
    const fix = 'Name an existing file with one JSON object.';
    throw wrongValue(option, 'The file cannot be read as JSON.', fix);
  }
  const { data, error } = schema.safeParse(content, PLAIN);
  if (!error) return data as T;
  const [issue] = error.issues;
  throw wrongValue(
    option,
    `The file cannot be used: ${issue?.path.join('.') || 'it'} ${issue?.message}.`,
    'See "Meltano and Singer" in docs/batches.md.',
  );
}

export const run: Run<typeof TAP_OPTIONS> = async (args, io) => {
  const { config, state, catalog, discover } = args.values;
  const settings = (await jsonFile('config', config, settingsSchema)) ?? settingsSchema.parse({});
  const { pii: mode, account, calling_code: callingCode } = settings;
  const store = path.resolve(io.cwd, settings.store);
  const hashKey = mode === 'hash' ? readHashKey(io.env) : undefined;
  const personal = { mode, hashKey, callingCode: callingCode?.toString() };
  const read = guarded(async () => {
    if (discover) {
      io.stdout.write(line(catalogOf(tapRendering(personal).layout.columns)));
      return EXIT.published;
    }
    const inputs = {
      state: await jsonFile('state', state, stateSchema),
      catalog: await jsonFile('catalog', catalog, catalogSchema),
    };
    using history = existingStore({ store, account }, io);
    const records = await tap({ store: history, personal, account, ...inputs }, io.stdout);
    print(io.stderr, [countText(records, 'record')]);
    return EXIT.published;
  });
  return read({ ...args, values: { ...args.values, store, quiet: false } }, io);
};
