/**
 * What build and workers exchange over the queue: a job has a vehicle's tasks, its return value their
 * outcomes. Thumbnails are in the folder or in the store, so the queue may lose everything.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { contentSchema, sourceSchema } from '../../record/pictures.ts';
import type { Names, Outcome, PictureTask } from '../process/tasks.ts';
import { isOutputName, outputNames } from '../recipes.ts';

const count = z.int().min(0);

const recipeSchema = z.strictObject({
  format: z.enum(['webp', 'avif', 'jpeg']),
  width: count,
  height: count.optional(),
  quality: count,
  effort: count,
  exact: z.literal(true).optional(),
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

/** The tasks of a vehicle. A worker of another version returns a job undone. */
export const jobSchema = z.strictObject({
  version: z.literal(1),
  dealer: z.string().regex(/^\d+$/),
  vehicle: z.string().regex(/^[a-z0-9-]{1,60}$/),
  recipes: z.array(z.array(recipeSchema)),
  items: z.array(itemSchema),
  /** Indexes of pictures that killed their workers. */
  skip: z.array(count).default([]),
  /** It was submitted before, so its thumbnails may be in the store. */
  again: z.boolean().default(false),
});

export type JobData = z.infer<typeof jobSchema>;

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
  }),
]);

/** Return value of a job. */
export const resultSchema = z.strictObject({
  version: z.literal(1),
  outcomes: z.array(outcomeSchema),
});

export type JobResult = z.infer<typeof resultSchema>;

/** Index of the picture that a worker is processing, reported after the death of another one. */
export const progressSchema = z.strictObject({ at: count });

/** The job of a vehicle's tasks, with their shared recipes. */
export function toJob(
  dealer: string,
  vehicle: string,
  tasks: readonly PictureTask[],
  existing: Pick<Names, 'has'>,
): JobData {
  const lists = [...new Set(tasks.map(({ source }) => source.recipes))];
  const items = tasks.map(({ source, entry, content, step }) => {
    const known = entry && content ? { hash: entry.hash, ...content } : undefined;
    const have = known && outputNames(known, source.recipes).filter((name) => existing.has(name));
    const { key, url = '', vehicleDate } = source;
    return {
      key,
      url,
      vehicleDate,
      recipes: lists.indexOf(source.recipes),
      step: step.kind,
      ...(step.because !== 'new' && { look: true as const }),
      ...(entry && { entry }),
      ...(content && { content }),
      ...(have && have.length > 0 && { have }),
    };
  });
  const recipes = lists.map((list) => [...list]);
  return { version: 1, dealer, vehicle, recipes, items, skip: [], again: false };
}

/** Name of a job. The same tasks give the same name, so a build takes in what was done for an earlier one. */
export const jobName = (data: JobData): string =>
  `${data.dealer}-${data.vehicle}-${hash('sha256', JSON.stringify(data), 'hex').slice(0, 16)}`;

/** The tasks that a job was made from. */
export const toTasks = ({ recipes, vehicle, items }: JobData): PictureTask[] =>
  items.map(({ key, url, vehicleDate, entry, content, step, ...item }) => ({
    source: { key, url, vehicle, vehicleDate, recipes: recipes[item.recipes] ?? [] },
    entry,
    content,
    step:
      step === 'download'
        ? { kind: 'download', because: 'new' }
        : { kind: 'revalidate', because: 'due' },
  }));

/** Outcome of a task in the form of a job's return value. */
export function toResult(
  { source: { key } }: PictureTask,
  outcome: Outcome,
): JobResult['outcomes'][number] {
  if (outcome.ok) return { ...outcome, key };
  return { ...outcome, key, message: outcome.message.slice(0, 1000) };
}

/** Outcome of a picture that killed two workers. */
export const WORKER_CRASHED: Outcome = {
  ok: false,
  code: 'picture-killed-worker',
  message: 'two workers died while they were at it',
};
/** Outcome of a picture that is missing in a result. */
export const UNANSWERED: Outcome = {
  ok: false,
  code: 'worker-failed',
  message: 'the worker returned no outcome',
};
