/** One coordinator's hour of a platform: everything but the pictures. */
import { rmSync } from 'node:fs';
import { enginesOf } from '../../src/config/engines.ts';
import { withOutputs } from '../../src/images/fingerprint.ts';
import { OutputNames } from '../../src/images/output-names.ts';
import { nextStep, planSources } from '../../src/images/plan.ts';
import type { PictureTask, PictureTaskPlan } from '../../src/images/ports.ts';
import { queueAddress } from '../../src/images/queue/connection.ts';
import { queueRunner } from '../../src/images/queue/queue-runner.ts';
import { contentHash, outputNames, outputSuffixes, recipeBook } from '../../src/images/recipes.ts';
import { FolderStore } from '../../src/images/stores/folder-store.ts';
import { SharedStore } from '../../src/images/stores/shared-store.ts';
import { readRecord } from '../../src/record/file.ts';
import { dealerOf, KnownPictures } from '../../src/record/known-pictures.ts';
import { sourceHash, type Vehicle } from '../../src/stock/vehicle.ts';
import { picturesRecord } from '../../test/support/picture-memory.ts';
import { countingStore } from '../support/counting-store.ts';
import { mediaConfig } from './media-config.ts';

export interface FleetShardInput {
  /** What stands for S3; kept between the phases. */
  storeFolder: string;
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

/** The store as the hour before left it. */
async function fill(): Promise<void> {
  const store = new FolderStore(input.storeFolder);
  const byDealer = Map.groupBy(
    planSources(
      stock(() => false),
      book,
    ),
    ({ key }) => dealerOf(key),
  );
  for (const [dealer, sources] of byDealer) {
    const known = new KnownPictures();
    for (const { key, vehicleDate, recipes } of sources) {
      const hash = contentHash(Buffer.from(key));
      const size = { width: 1600, height: 1200 };
      // No such file is ever read here.
      const made = outputNames({ hash, ...size }, recipes).map((name) => ({
        name,
        fingerprint: `1-${'A'.repeat(27)}`,
      }));
      const content = { ...size, colour: '808080', outputs: withOutputs(undefined, made) };
      known.record(key, { validator: `"${hash}"`, vehicleDate, hash }, content);
    }
    known.show(
      sources.map(({ key, recipes }) => [
        key,
        outputSuffixes({ width: 1600, height: 1200 }, recipes),
      ]),
    );
    for (const { name, text } of picturesRecord(dealer, known.rows(dealer)).pieces) {
      await store.put(`records/site/${name}`, Buffer.from(text));
    }
  }
}

async function hour(): Promise<void> {
  const { store, requests } = countingStore(input.storeFolder);
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
  rmSync(input.cacheDir, { recursive: true, force: true });
  const known = new KnownPictures(`${input.cacheDir}/records/site`);
  const folder = `${input.cacheDir}/media/files`;
  const shared = await SharedStore.open(store, sources, {
    ...{ known, folder, site: undefined },
    configuration: 'site',
    now: NOW,
    list: async () => ({
      outputs: new OutputNames(),
      published: new OutputNames(),
      lacks: true,
    }),
  });
  for (const dealer of new Set(sources.map(({ key }) => dealerOf(key)))) {
    const read = await readRecord(
      {
        read: async (name) => {
          const bytes = await store.get(`records/site/${name}`);
          return bytes ? { bytes } : { why: 'there is none', missing: true };
        },
      },
      Number(dealer),
    );
    if ('record' in read) known.adopt(dealer, read.record);
  }
  step('manifests');
  const works = sources.flatMap((source): PictureTask[] => {
    const { entry, content } = known.known(source.key) ?? {};
    const next = nextStep(source, {
      entry,
      content,
      hasAll: (hash, ends) => shared.known.hasAll(hash, ends),
      lastConfirmed: NOW - 3.6e6,
      now: NOW,
      revalidateAfter: media.revalidateAfter,
    });
    return next.kind === 'nothing' ? [] : [{ source, entry, content, step: next }];
  });
  step('compare');
  const { queueUrl } = enginesOf({ QUEUE_URL: input.queueUrl });
  if (!queueUrl) throw new Error('no queue');
  const queue = queueAddress(queueUrl, undefined);
  const plan: PictureTaskPlan = {
    ...{ works, media, baseUrl, folder },
    existing: shared.known,
    contents: known.contents,
  };
  await queueRunner({ queue, store }).run(plan, ({ source }, outcome) => {
    if (!outcome.ok) throw new Error(outcome.message);
    shared.arrived(source.recipes, outcome, true);
    known.record(source.key, outcome.entry, outcome.content);
  });
  step('queue');
  known.show(
    sources.flatMap(({ key, recipes }) => {
      const its = known.known(key);
      return its ? [[key, outputSuffixes(its.content, recipes)] as const] : [];
    }),
  );
  for (const dealer of known.dealers) {
    for (const { name, text } of picturesRecord(dealer, known.rows(dealer)).pieces) {
      await store.put(`records/site/${name}`, Buffer.from(text));
    }
  }
  await shared.clean(sources, (key) => {
    const its = known.known(key);
    return its && { hash: its.entry.hash, ...its.content };
  });
  step('clean');
  const vehicles = new Set(works.map(({ source }) => `${dealerOf(source.key)}/${source.vehicle}`));
  console.log(
    JSON.stringify({
      steps,
      requests,
      sources: sources.length,
      works: works.length,
      jobs: vehicles.size,
    }),
  );
}

await (input.phase === 'fill' ? fill() : hour());
