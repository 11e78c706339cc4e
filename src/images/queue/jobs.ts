/**
 * Messages between build and workers: a job has a vehicle's tasks, its return value their
 * outcomes. Thumbnails are in the folder or in the store, so a lost queue loses no work.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { FORMAT_NAMES } from '../../config/image-formats.ts';
import { contentSchema, sourceSchema } from '../../record/pictures.ts';
import type { OutputNames } from '../output-names.ts';
import type { PictureTask } from '../process/tasks.ts';
import { isOutputName, outputNames } from '../recipes.ts';

const count = z.int().min(0);

const recipeSchema = z.strictObject({
  format: z.enum(FORMAT_NAMES),
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
  step: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('download'), because: z.enum(['new', 'outputs-missing']) }),
    z.strictObject({ kind: z.literal('revalidate'), because: z.enum(['vehicle-updated', 'due']) }),
  ]),
  entry: sourceSchema.optional(),
  content: contentSchema.optional(),
  /** Existing outputs of its previous bytes. */
  have: z.array(z.string().refine(isOutputName)),
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
    newOutputs: z.array(z.strictObject({ name: z.string().refine(isOutputName), bytes: count })),
  }),
]);

/** Return value of a job. */
export const resultSchema = z.strictObject({
  version: z.literal(1),
  outcomes: z.array(outcomeSchema),
});

export type JobResult = z.infer<typeof resultSchema>;

/** Index of the picture that a worker is processing. Reported after the death of another worker. */
export const progressSchema = z.strictObject({ at: count });

/** The job of a vehicle's tasks, with their shared recipes. */
export function toJob(
  dealer: string,
  vehicle: string,
  tasks: readonly PictureTask[],
  existing: Pick<OutputNames, 'has'>,
): JobData {
  const lists = [...new Set(tasks.map(({ source }) => source.recipes))];
  const items = tasks.map(({ source, entry, content, step }) => {
    const { key, url = '', vehicleDate, recipes } = source;
    const names = entry && content ? outputNames({ hash: entry.hash, ...content }, recipes) : [];
    const have = names.filter((name) => existing.has(name));
    return { key, url, vehicleDate, recipes: lists.indexOf(recipes), step, entry, content, have };
  });
  const recipes = lists.map((list) => [...list]);
  return { version: 1, dealer, vehicle, recipes, items, skip: [], again: false };
}

/** Name of a job. The same tasks give the same name, so a build uses the results of an earlier one. */
export const jobName = (data: JobData): string =>
  `${data.dealer}-${data.vehicle}-${hash('sha256', JSON.stringify(data), 'hex').slice(0, 16)}`;

/** The tasks that a job was made from. */
export const toTasks = ({ recipes, vehicle, items }: JobData): PictureTask[] =>
  items.map(({ key, url, vehicleDate, recipes: index, entry, content, step }) => ({
    source: { key, url, vehicle, vehicleDate, recipes: recipes[index] ?? [] },
    entry,
    content,
    step,
  }));
