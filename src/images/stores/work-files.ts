/**
 * Files in the store by which coordinator and workers communicate. Jobs contain only names, so that the
 * queue may lose everything: `work/DEALER/PLAN.json` contains the tasks,
 * `work/DEALER/PLAN/VEHICLE.json` their results.
 */
import { z } from 'zod';
import { contentSchema, sourceSchema } from '../../record/pictures.ts';
import type { Names, Outcome, PictureTask } from '../ports.ts';
import { isOutputName, outputNames, type Recipe } from '../recipes.ts';

const dealer = z.string().regex(/^\d+$/);
const planId = z.string().regex(/^[0-9a-f]{16}$/);
const vehicle = z.string().regex(/^[a-z0-9-]{1,60}$/);
const count = z.int().min(0);

const recipeSchema = z.strictObject({
  format: z.enum(['webp', 'avif', 'jpeg']),
  width: count,
  height: count.optional(),
  quality: count,
  effort: count,
  position: z.enum(['centre', 'attention']).optional(),
});

const itemSchema = z.strictObject({
  key: z.string(),
  url: z.string(),
  vehicleDate: z.string(),
  /** Index in `recipes`. */
  recipes: count,
  step: z.enum(['download', 'revalidate']),
  /** Its thumbnails may be in the store although no record has them. */
  look: z.literal(true).optional(),
  entry: sourceSchema.optional(),
  content: contentSchema.optional(),
  /** Existing outputs of its former bytes. */
  have: z.array(z.string().refine(isOutputName)).optional(),
});

export const planFileSchema = z.strictObject({
  version: z.literal(5),
  recipes: z.array(z.array(recipeSchema)),
  vehicles: z.record(vehicle, z.array(itemSchema)),
});

export type PlanFile = z.infer<typeof planFileSchema>;
export type Item = z.infer<typeof itemSchema>;

const outcomeSchema = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(false),
    key: z.string(),
    code: z.string().max(60),
    message: z.string().max(1000),
    downloadedBytes: count.optional(),
  }),
  z.strictObject({
    ok: z.literal(true),
    key: z.string(),
    entry: sourceSchema,
    content: contentSchema,
    revalidated: z.boolean(),
    downloadedBytes: count.optional(),
    made: z.array(z.strictObject({ name: z.string().refine(isOutputName), bytes: count })),
    /** All outputs that exist now, including new ones. */
    outputs: z.array(z.string().refine(isOutputName)),
  }),
]);

export const resultFileSchema = z.strictObject({
  version: z.literal(4),
  /** Worker: host and process. */
  worker: z.string().max(200),
  outcomes: z.array(outcomeSchema),
});

export type ResultFile = z.infer<typeof resultFileSchema>;

/** Content of a job. */
export const jobSchema = z.strictObject({
  dealer,
  plan: planId,
  vehicle,
  /** Indexes of pictures that killed their workers. */
  skip: z.array(count),
});

export type JobData = z.infer<typeof jobSchema>;

/** Index of the picture that a worker is processing, reported after the death of another one. */
export const progressSchema = z.strictObject({ at: count });

export const WORK = 'work/';
export const planName = (of: Pick<JobData, 'dealer' | 'plan'>): string =>
  `${WORK}${of.dealer}/${of.plan}.json`;
export const resultName = (of: Pick<JobData, 'dealer' | 'plan' | 'vehicle'>): string =>
  `${WORK}${of.dealer}/${of.plan}/${of.vehicle}.json`;

/** The dealer of a name below `work/`. */
export const dealerOfWork = (name: string): string => name.split('/')[1] ?? '';
/** Whether a name is that of a result rather than of a plan. */
export const isResult = (name: string): boolean => name.split('/').length === 4;

export const toBytes = (file: PlanFile | ResultFile): Uint8Array =>
  Buffer.from(JSON.stringify(file));

/** Reads one of the files; undefined where it does not match the schema. */
export function fromBytes<T>(schema: z.ZodType<T>, bytes: Uint8Array): T | undefined {
  try {
    return schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

/** The plan file of a dealer's tasks, by vehicle, with their shared recipes. */
export function toPlanFile(works: readonly PictureTask[], existing: Pick<Names, 'has'>): PlanFile {
  const lists = [...new Set(works.map(({ source }) => source.recipes))];
  const toItem = ({ source, entry, content, step }: PictureTask): Item => {
    const known = entry && content ? { hash: entry.hash, ...content } : undefined;
    const have = known && outputNames(known, source.recipes).filter((name) => existing.has(name));
    const { key, url = '', vehicleDate } = source;
    return {
      key,
      url,
      vehicleDate,
      recipes: lists.indexOf(source.recipes),
      step: step.kind,
      ...(step.because !== 'new' && { look: true }),
      ...(entry && { entry }),
      ...(content && { content }),
      ...(have && have.length > 0 && { have }),
    };
  };
  const vehicles = Map.groupBy(works, ({ source }) => source.vehicle);
  return {
    version: 5,
    recipes: lists.map((recipes) => [...recipes]),
    vehicles: Object.fromEntries(
      Array.from(vehicles, ([vehicle, own]) => [vehicle, own.map(toItem)]),
    ),
  };
}

/** The task that an item was made from. */
export function toWork(item: Item, recipes: readonly Recipe[], of: string): PictureTask {
  const { key, url, vehicleDate, entry, content, step } = item;
  return {
    source: { key, url, vehicle: of, vehicleDate, recipes },
    entry,
    content,
    step:
      step === 'download'
        ? { kind: 'download', because: 'new' }
        : { kind: 'revalidate', because: 'due' },
  };
}

/** Outcome of a task in the form of a result file. */
export function toResult(work: PictureTask, outcome: Outcome): ResultFile['outcomes'][number] {
  const { key, recipes } = work.source;
  if (!outcome.ok) return { ...outcome, key, message: outcome.message.slice(0, 1000) };
  const { entry, content } = outcome;
  return { ...outcome, key, outputs: outputNames({ hash: entry.hash, ...content }, recipes) };
}

/** Outcome of a picture that killed two workers. */
export const KILLER: Outcome = {
  ok: false,
  code: 'picture-killed-worker',
  message: 'two workers died while they were at it',
};
/** Outcome of a picture that is missing in a result. */
export const UNANSWERED: Outcome = {
  ok: false,
  code: 'worker-failed',
  message: 'the worker said nothing of it',
};
