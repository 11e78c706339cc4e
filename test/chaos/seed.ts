import { Secret } from '../../src/config/secret.ts';
import type { BuildReport } from '../../src/publish/report.ts';
import type { SampleDealer } from '../../src/sample-service/data/types.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import { readTree, temporaryFolder } from '../support/build.ts';
import { disagreements, type OnDisk } from './agreement.ts';
import { Disks, siteOf } from './disks.ts';
import { type Answer, DEALERS, dealerId, possibleAnswers } from './faults.ts';
import { attentionOf, checkFolder, checkKeys, checkNight, type DealerNight } from './invariants.ts';
import { differing, pagesOf, published, type Tree } from './live.ts';
import { type Ran, type RunInput, runBuildOn, runParts, withOutage } from './night.ts';
import { type Edit, KNOWING, type Night, type Schedule, scheduleOf } from './schedule.ts';
import { HOUR, keyOf, START, type Stage, VEHICLES, withKeys } from './stage.ts';

const places = Array.from({ length: DEALERS }, (_, dealer) => dealer);
const slugOf = (dealer: number): string => `dealer-${dealer + 1}`;
const pageOf = (dealer: number, vrm: string): string =>
  `${slugOf(dealer)}/${vehicleSlug(vrm)}/index.html`;

/** Whether a report claims a new site; undefined where it does not say: a degraded one may be as before. */
const claimOf = ({ outcome }: BuildReport): boolean | undefined =>
  outcome === 'published' ? true : outcome === 'not-published' ? false : undefined;

/** One seed while it is played: what happened so far, as far as what comes depends on it. */
class Play {
  readonly #stage: Stage;
  readonly #schedule: Schedule;
  readonly #disks: Disks;
  readonly #original: readonly SampleDealer[];
  #now = START;
  #latest = START;
  #setBack = false;
  /** Which key each dealer has. */
  readonly #generations = places.map(() => 0);
  /** Every key that was used. */
  readonly #keys = new Map<string, Secret>();
  /** The keys that the live site was made with. */
  #liveKeys = places.map((dealer) => keyOf(dealer, 0));
  readonly #absentSince = new Map<string, number>();
  readonly #confirmed = places.map(() => ({ latest: START, surely: START }));
  /** Losses that the last build held back, as a person would accept them. */
  #held: string[] = [];
  #unsettled = false;
  #live: Tree;

  constructor(stage: Stage, schedule: Schedule, disks: Disks, live: Tree) {
    this.#stage = stage;
    this.#schedule = schedule;
    this.#disks = disks;
    this.#live = live;
    this.#original = structuredClone(stage.service.data.dealers);
    stage.site.folder = disks.live;
  }

  /** Everything of the service as it was. */
  restore(): void {
    const { service } = this.#stage;
    service.faults.clear();
    service.data.dealers.splice(0, DEALERS, ...structuredClone([...this.#original]));
    for (const [id, { revision }] of service.data.pictures) {
      if (revision) service.data.override(id, { revision: 0 });
    }
  }

  #apply(edit: Edit): void {
    const { data } = this.#stage.service;
    const dealer = data.dealers[edit.dealer];
    const full = this.#original[edit.dealer];
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
        const revision = data.pictures.get(image.id)?.revision ?? 0;
        data.override(image.id, { revision: 1 - revision });
      }
    }
  }

  /** Whatever happens between two nights. @returns the keys as they are configured now. */
  #pass(night: Night): string[] {
    const { data } = this.#stage.service;
    this.#now += night.hours * HOUR;
    this.#setBack ||= night.hours < 0;
    this.#latest = Math.max(this.#latest, this.#now);
    for (const edit of night.edits) this.#apply(edit);
    for (const [dealer, { vehicles }] of this.#original.entries()) {
      const listed = new Set(data.dealers[dealer]?.vehicles.map(({ vrm }) => vrm));
      for (const { vrm } of vehicles) {
        if (!listed.has(vrm)) this.#isAbsent(pageOf(dealer, vrm));
      }
    }
    for (const dealer of night.rotated) this.#generations[dealer] = this.#generation(dealer) + 1;
    return this.#setKeys(night.wrongKey);
  }

  #isAbsent(file: string): void {
    const since = this.#absentSince.get(file) ?? this.#now;
    this.#absentSince.set(file, Math.min(since, this.#now));
  }

  #generation(dealer: number): number {
    return this.#generations[dealer] ?? 0;
  }

  /** Gives the service its keys. @returns the configured ones. */
  #setKeys(wrong: readonly number[]): string[] {
    return places.map((dealer) => {
      const right = keyOf(dealer, this.#generation(dealer));
      const served = this.#stage.service.data.dealers[dealer];
      if (served) served.apiKey = right;
      const key = wrong.includes(dealer) ? keyOf(dealer, 'wrong') : right;
      for (const one of [right, key]) this.#keys.set(one, new Secret(one));
      return key;
    });
  }

  /** What is known of each dealer before a night. */
  #dealers(index: number, night: Night, keys: readonly string[], tokens: readonly string[]) {
    const { opens } = this.#schedule;
    return places.map((dealer): DealerNight => {
      const closed = dealer === DEALERS - 1 && index < opens.night;
      const refused = night.wrongKey.includes(dealer);
      const before: Answer = opens.before === 503 ? 'none' : 'refused';
      const otherwise = closed ? before : refused ? 'refused' : 'whole';
      const { id = 0, name = '', vehicles = [] } = this.#stage.service.data.dealers[dealer] ?? {};
      const slug = slugOf(dealer);
      return {
        id,
        name,
        slug,
        possible: possibleAnswers(night.faults, dealer, { otherwise, patient: night.compared }),
        honest: vehicles.map(({ vrm }) => pageOf(dealer, vrm)),
        believed: !refused && keys[dealer] === this.#liveKeys[dealer],
        acceptsLoss: tokens.some((token) => token.startsWith(`${slug}@`)),
        confirmed: this.#setBack ? undefined : this.#confirmed[dealer],
      };
    });
  }

  #arm(index: number, night: Night): void {
    const { faults } = this.#stage.service;
    const { opens } = this.#schedule;
    faults.clear();
    for (const { fault } of night.faults) faults.set(fault);
    if (index < opens.night) {
      faults.set({ route: 'media', dealerId: dealerId(DEALERS - 1), status: opens.before });
    }
  }

  /** The same night on disks that have to come to the same. */
  async #elsewhere(index: number, night: Night, input: RunInput, disks: Map<string, string>) {
    const all: OnDisk[] = [];
    for (const [name, disk] of disks) {
      this.#arm(index, night);
      const { report } = await runBuildOn(disk, input);
      if (report) all.push({ disk: name, report, visible: await this.#visible(disk, report) });
      await this.#disks.release(disk, { published: false });
    }
    return all;
  }

  async #visible(disk: string, { outcome }: BuildReport): Promise<Tree> {
    return outcome === 'not-published' ? this.#live : readTree(siteOf(disk));
  }

  /** Plays one night. @returns what was wrong. */
  async night(index: number, night: Night, tell: (text: string) => void): Promise<string[]> {
    const keys = this.#pass(night);
    const acceptLoss = night.accepts ? this.#held : [];
    const dealers = this.#dealers(index, night, keys, acceptLoss);
    for (const [dealer, { possible, acceptsLoss }] of dealers.entries()) {
      if (!possible.has('empty') || !acceptsLoss) continue;
      for (const { vrm } of this.#original[dealer]?.vehicles ?? []) {
        this.#isAbsent(pageOf(dealer, vrm));
      }
    }
    const { config: hasty, patient, site } = this.#stage;
    const config = withKeys(night.compared ? patient : hasty, keys);
    const input = { config, keys, now: this.#now, acceptLoss, run: `night-${index}` };
    const compared = night.compared && dealers.every(({ believed }) => believed);
    const { parts } = night;
    const disks = this.#disks;
    const others = new Map<string, string>();
    for (const kind of compared ? KNOWING : []) {
      // Of a site in parts, one that is built whole is enough.
      if (parts ? kind !== 'empty' : kind === night.disk) continue;
      others.set(kind, await disks.take(kind, night, { clone: true }));
    }
    const disk = await (parts ? disks.takeForMerge(night.disk) : disks.take(night.disk, night));
    const before = await published(siteOf(disk));
    const outage = night.disk === 'unreachable' ? night.outage : undefined;
    this.#arm(index, night);
    const ran = await withOutage(site, outage, () =>
      parts
        ? runParts(disks, disk, night.disk, { ...night, parts }, input)
        : runBuildOn(disk, input, { killAfter: night.killAfter }),
    );
    const elsewhere = await this.#elsewhere(index, night, input, others);
    this.#stage.service.faults.clear();
    tell(`night ${index + 1}: ${JSON.stringify(night)} → ${resultOf(ran)}`);
    const after = await published(siteOf(disk));
    const wrong = [
      ...(await checkFolder(siteOf(disk), {
        config,
        before,
        after,
        claim: ran.report && claimOf(ran.report),
      })),
      ...(await checkKeys([disk], ran.printed, [...this.#keys.values()])),
    ];
    if (ran.report && elsewhere.length > 0) {
      const main = { disk: parts ? 'parts' : night.disk, report: ran.report };
      const visible = await this.#visible(disk, ran.report);
      wrong.push(...disagreements([{ ...main, visible }, ...elsewhere]));
    }
    const isNew = this.#isNew(ran, disk, after.inode !== before.inode);
    wrong.push(
      ...checkNight({
        disk: night.disk,
        inParts: parts !== undefined,
        now: this.#now,
        before: this.#live,
        after: isNew ? after.files : this.#live,
        published: isNew,
        killed: ran.killed,
        report: ran.report,
        dealers,
        pictureFaults: night.faults.some(({ fault }) => fault.route === 'picture'),
        unsettled: this.#unsettled,
        absentSince: this.#absentSince,
      }),
    );
    await this.#remember({ ran, disk, dealers, keys, isNew, files: after.files, whole: !parts });
    return wrong;
  }

  /** Whether visitors get what lies on a disk. What a new machine had when it was killed is gone. */
  #isNew({ killed, report }: Ran, disk: string, replaced: boolean): boolean {
    if (killed) return replaced && disk === this.#disks.kept;
    return report !== undefined && report.outcome !== 'not-published';
  }

  async #remember({
    ran,
    disk,
    dealers,
    keys,
    isNew,
    files,
    whole,
  }: {
    ran: Ran;
    disk: string;
    dealers: readonly DealerNight[];
    keys: string[];
    isNew: boolean;
    files: Tree;
    whole: boolean;
  }): Promise<void> {
    const { report } = ran;
    for (const [dealer, { possible }] of dealers.entries()) {
      const confirmed = this.#confirmed[dealer];
      if (!confirmed) continue;
      if (possible.has('whole') || possible.has('empty')) confirmed.latest = this.#now;
      const source = report?.dealers.find(({ id }) => id === dealerId(dealer))?.source;
      if (isNew && source === 'live') confirmed.surely = this.#now;
    }
    this.#held = report ? heldIn(report) : [];
    this.#unsettled = !isNew && (this.#unsettled || ran.killed || !whole);
    if (whole && !ran.killed) await this.#disks.saveCache(disk);
    if (isNew) {
      this.#live = files;
      this.#liveKeys = keys;
      for (const { slug, honest } of dealers) {
        const { listed } = pagesOf(files, slug);
        for (const file of honest) if (listed.has(file)) this.#absentSince.delete(file);
      }
      await this.#disks.deploy(disk);
      this.#stage.site.folder = this.#disks.live;
    }
    await this.#disks.release(disk, { published: isNew });
  }

  /** A night without faults, a week later so that every picture is asked for again: it must converge. */
  async calm(): Promise<string[]> {
    const { patient, fromNothing } = this.#stage;
    this.restore();
    const keys = this.#setKeys([]);
    const believed = keys.every((key, dealer) => key === this.#liveKeys[dealer]);
    const config = withKeys(patient, keys);
    const [quiet] = scheduleOf(0, VEHICLES).nights;
    if (!quiet) throw new Error('a schedule has a night');
    const disk = await this.#disks.take(this.#schedule.calm, {
      ...quiet,
      cache: 0,
      lost: undefined,
    });
    const now = this.#latest + 8 * 24 * HOUR;
    const { report } = await runBuildOn(disk, { config, keys, now, acceptLoss: [], run: 'calm' });
    const on = `calm night, ${this.#schedule.calm}:`;
    if (!report || report.problem) return [`${on} ${JSON.stringify(report?.problem)}`];
    const told = [
      ...report.notes,
      ...report.dealers.flatMap(({ notes }) => notes),
      ...attentionOf(report).map(({ code }) => code),
    ];
    // Where the live site was made with other keys, it is told that it cannot be believed.
    if (believed && told.length > 0) return [`${on} ${told.join(' ')}`];
    // The first night was a build from nothing of the same stock, on another day.
    return differing(await readTree(siteOf(disk)), fromNothing).map(
      (file) => `${on} ${file} is not what a build from nothing gives`,
    );
  }
}

const resultOf = ({ killed, report }: Ran): string =>
  killed ? 'killed' : `${report?.outcome} (${report?.exitCode} ${report?.problem?.code ?? ''})`;

/** What a person would copy from a report to accept its losses. */
const heldIn = (report: BuildReport): string[] => [
  ...new Set(
    [...JSON.stringify(report).matchAll(/--accept-loss ([\w-]+@[0-9a-f]+)/g)].map(
      ([, token]) => token ?? '',
    ),
  ),
];

/** Plays one seed. Returns what was wrong, in words; nothing where all was well. */
export async function playSeed(
  seed: number,
  stage: Stage,
  tell: (text: string) => void,
): Promise<string[]> {
  await using folder = await temporaryFolder();
  const schedule = scheduleOf(seed, VEHICLES);
  const disks = await Disks.after(stage.firstNight, folder.path);
  const play = new Play(stage, schedule, disks, await readTree(disks.live));
  try {
    for (const [index, night] of schedule.nights.entries()) {
      const wrong = await play.night(index, night, (text) => tell(`seed ${seed}, ${text}`));
      if (wrong.length > 0) return wrong.map((text) => `night ${index + 1}: ${text}`);
    }
    return await play.calm();
  } finally {
    play.restore();
  }
}
