import { spawn } from 'node:child_process';
import { cp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../../src/config/load.ts';
import { resolveConfig } from '../../src/config/load.ts';
import type { UserConfig } from '../../src/config/schema.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { build, readTree, temporaryFolder } from '../support/build.ts';
import { published, readReport, violations } from './invariants.ts';
import { type Edit, type Night, scheduleOf } from './schedule.ts';

const VEHICLES = 6;
const START = Date.parse('2026-03-02T02:00:00Z');
const HOUR = 3_600_000;

/** A service, and its site as it was after a good first night, to start every seed from. */
export interface Stage extends AsyncDisposable {
  service: SampleService;
  firstNight: string;
  config: LoadedConfig;
  /** What a build from nothing gives. */
  fromNothing: Map<string, string>;
  /** The same with long deadlines, for nights in which nothing is to fail. */
  patient: LoadedConfig;
}

const userConfig = ({ baseUrl, data }: SampleService): UserConfig => ({
  service: { baseUrl, timeout: '400ms', totalTimeout: '900ms', retries: 1, maxRetryAfter: '1s' },
  site: { title: 'Chaos Cars', url: 'https://cars.example' },
  dealers: data.dealers.map(({ id, name }, index) => ({ id, name, slug: `dealer-${index + 1}` })),
  media: { widths: [80], fallbackWidth: 80, timeout: '900ms', stallTimeout: '300ms' },
  publish: { minVehicleLoss: 2 },
});

export async function setStage(): Promise<Stage> {
  const service = await startSampleService({ dealers: 2, vehicles: VEHICLES, images: 2 });
  for (const { vehicles } of service.data.dealers) {
    for (const { id } of vehicles.flatMap(({ mediaList }) => mediaList)) {
      service.data.override(id, { width: 160, height: 120 });
    }
  }
  const folder = await temporaryFolder();
  const raw = userConfig(service);
  // One file for all seeds and for both ways to build: what is remembered belongs to a configuration.
  const file = path.join(folder.path, 'config.json');
  await writeFile(file, JSON.stringify(raw));
  const config = resolveConfig(raw, {
    file,
    keysFor: 'dealers',
    env: { MEDIA_API_KEY: service.mediaKey },
  });
  // Drawing a picture for the first time takes longer than the storms' short deadlines allow.
  const patient = {
    ...config,
    service: { ...config.service, timeout: 30_000, totalTimeout: 60_000 },
    media: { ...config.media, timeout: 60_000, stallTimeout: 60_000 },
  };
  try {
    for (const revision of [1, 0]) {
      await using other = await temporaryFolder();
      for (const { mediaList } of service.data.dealers.flatMap(({ vehicles }) => vehicles)) {
        const image = mediaList.find(({ type }) => type === 'Image');
        if (image) service.data.override(image.id, { revision });
      }
      const { error } = await build(patient, revision === 0 ? folder.path : other.path, {
        now: START,
      });
      if (error) throw error;
    }
  } catch (error) {
    await service.close();
    throw error;
  }
  return {
    service,
    firstNight: folder.path,
    config,
    patient,
    fromNothing: await readTree(path.join(folder.path, 'site')),
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function apply(
  edit: Edit,
  service: SampleService,
  original: SampleService['data']['dealers'],
): void {
  const dealer = service.data.dealers[edit.dealer];
  const full = original[edit.dealer];
  if (!dealer || !full) return;
  if (edit.kind === 'restore') dealer.vehicles = structuredClone(full.vehicles);
  else if (edit.kind === 'shrink') dealer.vehicles.splice(edit.keep);
  else if (edit.kind === 'remove') dealer.vehicles.splice(edit.vehicle, 1);
  else {
    const vehicle = dealer.vehicles[edit.vehicle];
    if (!vehicle) return;
    if (edit.kind === 'update') vehicle.dateUpdated = '2026-03-02T01:00:00Z';
    // Two looks in turn, so that the service need not draw without end.
    const image = vehicle.mediaList.find(({ type }) => type === 'Image');
    if (edit.kind === 'repaint' && image) {
      const revision = service.data.pictures.get(image.id)?.revision ?? 0;
      service.data.override(image.id, { revision: 1 - revision });
    }
  }
}

interface Ran {
  killed: boolean;
  printed: string;
}

/** Runs the build command as its own process, and kills it and its children where the night says so. */
function runCommand(
  config: string,
  folder: string,
  now: number,
  key: string,
  killAfter: number | undefined,
): Promise<Ran> {
  const child = spawn(
    process.execPath,
    [
      'scripts/build.ts',
      ...['--config', config],
      ...['--output', path.join(folder, 'site')],
      ...['--cache', path.join(folder, 'cache')],
      ...['--report', path.join(folder, 'report.json')],
      ...['--now', new Date(now).toISOString()],
    ],
    { env: { MEDIA_API_KEY: key }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  return new Promise((resolve) => {
    let killed = false;
    const timer =
      killAfter === undefined
        ? undefined
        : setTimeout(() => {
            killed = child.kill('SIGKILL');
          }, killAfter);
    child.on('close', () => {
      clearTimeout(timer);
      resolve({ killed, printed });
    });
  });
}

/** Whether a report claims a new site; undefined where it does not say: a degraded one may be as before. */
function claimOf(outcome: string | undefined): boolean | undefined {
  return outcome === undefined || outcome === 'degraded' ? undefined : outcome === 'published';
}

async function runNight(
  night: Night,
  folder: string,
  now: number,
  stage: Stage,
): Promise<Ran & { saysPublished: boolean | undefined }> {
  const { service, config } = stage;
  const file = path.join(folder, 'report.json');
  await rm(file, { force: true });
  const media = path.join(folder, 'cache', 'media');
  if (night.lost === 'media') await rm(media, { recursive: true, force: true });
  if (night.lost === 'manifest') {
    await rm(path.join(folder, 'cache', 'records'), { recursive: true, force: true });
  }
  if (night.killAfter !== undefined) {
    const ran = await runCommand(config.file, folder, now, service.mediaKey, night.killAfter);
    const report = await readReport(file);
    return { ...ran, saysPublished: ran.killed ? undefined : claimOf(report?.outcome) };
  }
  const { report, lines } = await build(config, folder, { now });
  return {
    killed: false,
    printed: `${lines.join('\n')}\n${JSON.stringify(report)}`,
    saysPublished: claimOf(report.outcome),
  };
}

/** Plays one seed. Returns what was wrong, in words; nothing where all was well. */
export async function playSeed(
  seed: number,
  stage: Stage,
  tell: (text: string) => void,
): Promise<string[]> {
  const { service, firstNight, config } = stage;
  await using folder = await temporaryFolder();
  await cp(firstNight, folder.path, { recursive: true });
  const original = structuredClone(service.data.dealers);
  const everAbsent = new Set<string>();
  let now = START;
  let latest = now;
  try {
    for (const [index, night] of scheduleOf(seed, VEHICLES).entries()) {
      for (const one of night.edits) apply(one, service, original);
      for (const [at, { vehicles }] of service.data.dealers.entries()) {
        const listed = new Set(vehicles.map(({ vrm }) => vrm));
        for (const { vrm } of original[at]?.vehicles ?? []) {
          if (!listed.has(vrm)) everAbsent.add(`dealer-${at + 1}|${vrm}`);
        }
      }
      for (const fault of night.faults) service.faults.set(fault);
      now += night.hours * HOUR;
      latest = Math.max(latest, now);
      const before = await published(path.join(folder.path, 'site'));
      const ran = await runNight(night, folder.path, now, stage);
      service.faults.clear();
      tell(
        `seed ${seed}, night ${index + 1}: ${JSON.stringify(night)} → ${ran.killed ? 'killed' : ran.saysPublished ? 'published' : 'not published'}`,
      );
      const wrong = await violations({
        folder: folder.path,
        config,
        before,
        saysPublished: ran.saysPublished,
        everAbsent,
        printed: ran.printed,
        key: service.mediaKey,
      });
      if (wrong.length > 0) return wrong.map((text) => `night ${index + 1}: ${text}`);
    }
    return await calm(folder.path, latest + 8 * 24 * HOUR, stage, original);
  } finally {
    service.faults.clear();
    service.data.dealers.splice(0, service.data.dealers.length, ...original);
    for (const [id, { revision }] of service.data.pictures) {
      if (revision) service.data.override(id, { revision: 0 });
    }
  }
}

/** A night without faults, a week later so that every picture is asked for again: it must converge. */
async function calm(
  folder: string,
  now: number,
  { service, patient, fromNothing }: Stage,
  original: SampleService['data']['dealers'],
): Promise<string[]> {
  for (const [index, dealer] of service.data.dealers.entries()) {
    dealer.vehicles = structuredClone(original[index]?.vehicles ?? []);
  }
  for (const [id, { revision }] of service.data.pictures) {
    if (revision) service.data.override(id, { revision: 0 });
  }
  const after = await build(patient, folder, { now });
  if (after.error) return [`calm night: ${String(after.error)}`];
  const told = [...after.report.notes, ...after.report.dealers.flatMap(({ notes }) => notes)];
  if (told.length > 0) return [`calm night: ${told.join(' ')}`];
  // The first night was a build from nothing of the same stock, on another day.
  const [one, other] = [await readTree(after.output), fromNothing];
  const different = [...new Set([...one.keys(), ...other.keys()])].filter(
    (file) => one.get(file) !== other.get(file),
  );
  return different.map((file) => `calm night: ${file} is not what a build from nothing gives`);
}
