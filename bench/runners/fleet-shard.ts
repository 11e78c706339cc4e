/** One coordinator's hour of a platform: everything but the pictures. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { enginesOf } from '../../src/config/engines.ts';
import { withOutputs } from '../../src/images/fingerprint.ts';
import { OutputNames } from '../../src/images/output-names.ts';
import { nextStep, planSources } from '../../src/images/plan.ts';
import type { PictureTask, PictureTaskPlan } from '../../src/images/process/tasks.ts';
import { queueAddress } from '../../src/images/queue/connection.ts';
import { submitPictures } from '../../src/images/queue/submit-pictures.ts';
import { contentHash, outputNames, outputSuffixes, recipeBook } from '../../src/images/recipes.ts';
import { readRecord } from '../../src/record/file.ts';
import { FolderRecords } from '../../src/record/folder.ts';
import { dealerOf, KnownPictures } from '../../src/record/known-pictures.ts';
import { sourceHash, type Vehicle } from '../../src/stock/vehicle.ts';
import { picturesRecord } from '../../test/support/picture-memory.ts';
import { FLEET_QUEUE } from './fleet-stand-in.ts';
import { mediaConfig } from './media-config.ts';

export interface FleetShardInput {
  cacheDir: string;
  queueUrl: string;
  firstDealer: number;
  dealers: number;
  vehicles: number;
  pictures: number;
  /** Every so many-th vehicle was updated. */
  changedEvery: number;
  phase: 'fill' | 'hour';
}

const input: FleetShardInput = JSON.parse(process.argv[2] ?? '{}');
const baseUrl = 'https://media.example';
const media = mediaConfig(baseUrl);
const book = recipeBook(media);
const NOW = Date.UTC(2026, 2, 2);
const SIZE = { width: 1600, height: 1200 };
const records = `${input.cacheDir}/records/site`;

function writeRecords(known: KnownPictures): void {
  mkdirSync(records, { recursive: true });
  for (const dealer of known.dealers) {
    for (const { name, text } of picturesRecord(dealer, known.rows(dealer)).pieces) {
      writeFileSync(`${records}/${name}`, text);
    }
  }
}

function* stock(updated: (vehicle: number) => boolean): Iterable<Vehicle> {
  for (let one = 0; one < input.dealers; one++) {
    const dealerId = input.firstDealer + one;
    for (let vehicle = 0; vehicle < input.vehicles; vehicle++) {
      yield {
        dealerId,
        vrm: `AB${vehicle}CD`,
        slug: `ab${vehicle}cd`,
        dateUpdated: updated(vehicle + one) ? '2026-03-02T00:00:00Z' : '2026-03-01T00:00:00Z',
        media: Array.from({ length: input.pictures }, (_, picture) => {
          const id = vehicle * input.pictures + picture;
          const url = `${baseUrl}/${dealerId}/${id}.jpg`;
          const source = sourceHash(dealerId, id, url);
          return { kind: 'image' as const, id, label: '', source, url };
        }),
      };
    }
  }
}

/** The records as the hour before left them. */
function fill(): void {
  const sources = planSources(
    stock(() => false),
    book,
  );
  for (const [dealer, its] of Map.groupBy(sources, ({ key }) => dealerOf(key))) {
    const known = new KnownPictures();
    known.adopt(dealer);
    for (const { key, vehicleDate, recipes } of its) {
      const hash = contentHash(Buffer.from(key));
      // No such file is ever read here.
      const made = outputNames({ hash, ...SIZE }, recipes).map((name) => ({
        name,
        fingerprint: `1-${'A'.repeat(27)}`,
      }));
      const content = { ...SIZE, colour: '808080', outputs: withOutputs(undefined, made) };
      known.record(key, { validator: `"${hash}"`, vehicleDate, hash }, content);
    }
    known.show(its.map(({ key, recipes }) => [key, outputSuffixes(SIZE, recipes)]));
    writeRecords(known);
  }
}

async function hour(): Promise<void> {
  const steps: Record<string, number> = {};
  // CPU, not time: beside a busy neighbour the time is the machine's.
  let before = process.cpuUsage();
  const step = (name: string) => {
    const { user, system } = process.cpuUsage(before);
    steps[name] = (user + system) / 1e6;
    before = process.cpuUsage();
  };
  const sources = planSources(
    stock((vehicle) => vehicle % input.changedEvery === 0),
    book,
  );
  step('plan');
  const known = new KnownPictures();
  const files = new FolderRecords(records);
  for (const dealer of new Set(sources.map(({ key }) => dealerOf(key)))) {
    const read = await readRecord(files, Number(dealer));
    if ('record' in read) known.adopt(dealer, read.record);
  }
  // Those that the workers are going to report count as present.
  const existing = new OutputNames();
  for (const { key, recipes } of sources) {
    const hashes = [key, `${key} again`].map((text) => contentHash(Buffer.from(text)));
    existing.addPictures(outputSuffixes(SIZE, recipes), hashes);
  }
  step('records');
  const tasks = sources.flatMap((source): PictureTask[] => {
    const { entry, content } = known.known(source.key) ?? {};
    const next = nextStep(source, {
      entry,
      content,
      hasAll: (hash, ends) => existing.hasAll(hash, ends),
      lastConfirmed: NOW - 3.6e6,
      now: NOW,
      revalidateAfter: media.revalidateAfter,
    });
    return next.kind === 'nothing' ? [] : [{ source, entry, content, step: next }];
  });
  step('compare');
  const { queueUrl } = enginesOf({ QUEUE_URL: input.queueUrl });
  if (!queueUrl) throw new Error('no queue');
  const queue = queueAddress(queueUrl, FLEET_QUEUE);
  const plan: PictureTaskPlan = {
    ...{ tasks, media, baseUrl, existing },
    folder: `${input.cacheDir}/media/files`,
    contents: known.contents,
  };
  await submitPictures({ queue })(plan, ({ source }, outcome) => {
    if (!outcome.ok) throw new Error(outcome.message);
    known.record(source.key, outcome.entry, outcome.content);
  });
  step('queue');
  known.show(
    sources.flatMap(({ key, recipes }) => {
      const its = known.known(key);
      return its ? [[key, outputSuffixes(its.content, recipes)] as const] : [];
    }),
  );
  writeRecords(known);
  step('write');
  const vehicles = new Set(tasks.map(({ source }) => `${dealerOf(source.key)}/${source.vehicle}`));
  console.log(
    JSON.stringify({
      steps,
      sources: sources.length,
      works: tasks.length,
      jobs: vehicles.size,
    }),
  );
}

if (input.phase === 'fill') fill();
else await hour();
