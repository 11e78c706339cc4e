import type { BuildReport } from '../../src/publish/report/report.ts';
import { readTree, temporaryFolder } from '../support/build.ts';
import { disagreements, type OnDisk } from './agreement.ts';
import { checkRecords, type Damage, strikes } from './damage.ts';
import { changesOf, Disks, siteOf } from './disks.ts';
import { dealerId } from './faults.ts';
import { builtOf, type Deployed } from './host.ts';
import { attentionOf, checkFolder, checkKeys, checkNight, type DealerNight } from './invariants.ts';
import { differing, published, type Tree } from './live.ts';
import { type Ran, type RunInput, runBuildOn, withOutage } from './night.ts';
import { KNOWING, type Night, type Schedule, scheduleOf } from './schedule.ts';
import { HOUR, keyOf, START, type Stage, VEHICLES, withKeys } from './stage.ts';
import { putSite, runThin } from './thin.ts';
import { places, slugOf, World } from './world.ts';

/** Whether a report claims a new site. Undefined if unknown: a degraded one may be unchanged. */
const claimOf = ({ outcome }: BuildReport): boolean | undefined =>
  outcome === 'published' ? true : outcome === 'not-published' ? false : undefined;

const resultOf = ({ killed, report }: Ran): string =>
  killed ? 'killed' : `${report?.outcome} (${report?.exitCode} ${report?.problem?.code ?? ''})`;

/** The values in a report that accept its losses. */
const heldIn = (report: BuildReport): string[] => [
  ...new Set(
    [...JSON.stringify(report).matchAll(/--accept-loss ([\w-]+@[0-9a-f]+)/g)].map(
      ([, token]) => token ?? '',
    ),
  ),
];

/** State after a night. */
interface Over {
  ran: Ran;
  disk: string;
  files: Tree;
  /** The disk has a new site. */
  isBuilt: boolean;
  /** The site is public. */
  isNew: boolean;
}

/** State of a running seed: the history that later nights depend on. */
class Play {
  readonly #stage: Stage;
  readonly #schedule: Schedule;
  readonly #disks: Disks;
  readonly world: World;
  #now = START;
  #latest = START;
  #setBack = false;
  /** Keys used to build the live site. */
  #liveKeys = places.map((dealer) => keyOf(dealer, 0));
  readonly #confirmed = places.map(() => ({ latest: START, surely: START }));
  /** Losses that the last build held, as values for --accept-loss. */
  #held: string[] = [];
  #unsettled = false;
  /** A deploy was refused since the last one, so its disk and cache have a site that is not live. */
  #undeployed = false;
  #deploys = 0;
  /** Caches of the last two nights, newest first: whether they have a build that was never public, and deploys before. */
  #caches = [{ undeployed: false, deploys: 0 }];
  /** The live site or a cache was built with a clock that was ahead. */
  #wasAhead = false;
  /** A night was published from a disk with missing thumbnails, see `NightFacts.lacksThumbnails`. */
  #lackedThumbnails = false;
  /** Live files that differ from the deployed ones. */
  #damage: Damage[] = [];
  #live: Tree;

  constructor(stage: Stage, schedule: Schedule, disks: Disks, live: Tree) {
    this.#stage = stage;
    this.#schedule = schedule;
    this.#disks = disks;
    this.#live = live;
    this.world = new World(stage.service, schedule);
    stage.site.folder = disks.host.live;
  }

  /** Facts about each dealer before a night. */
  #dealers(
    index: number,
    night: Night,
    { keys, acceptLoss, isLate }: Pick<RunInput, 'keys' | 'acceptLoss'> & { isLate: boolean },
  ): DealerNight[] {
    // On the kept disk, a full build reads its own folder first.
    const isOwn = night.disk === 'kept' && !night.thin;
    const reads = this.#damage.filter(({ reach }) => reach !== 'site' || !isOwn);
    return places.map((dealer) => {
      const slug = slugOf(dealer);
      const right = !night.wrongKey.includes(dealer);
      const striking = reads.filter((one) => strikes(one, dealer));
      const struck = striking.length > 0;
      return {
        id: dealerId(dealer),
        name: this.world.nameOf(dealer),
        slug,
        possible: this.world.possible(index, night, dealer),
        honest: this.world.honest(dealer),
        believed: !struck && !isLate && this.#isMarked(dealer, keys) && right,
        // An older time of an unchanged record is equivalent.
        unreadable: striking.some(({ how }) => how !== 'former'),
        malformed: this.world.malformed(night, dealer),
        acceptsLoss: acceptLoss.some((token) => token.startsWith(`${slug}@`)),
        confirmed: this.#setBack || struck ? undefined : this.#confirmed[dealer],
      };
    });
  }

  /** Whether a key signed the live site. */
  #isMarked(dealer: number, keys: readonly string[]): boolean {
    return keys[dealer] === this.#liveKeys[dealer] && !this.world.hasShortKey(dealer);
  }

  /** Clones of other disks, on which the same night must have the same result. */
  async #clones(night: Night): Promise<Map<string, string>> {
    const clones = new Map<string, string>();
    for (const kind of KNOWING) {
      if (kind === night.disk) continue;
      clones.set(kind, await this.#disks.take(kind, night, { clone: true }));
    }
    if (!night.thin) clones.set('thin', await this.#disks.take('empty', night, { clone: true }));
    return clones;
  }

  async #onClones(
    clones: ReadonlyMap<string, string>,
    input: RunInput,
    arm: () => void,
  ): Promise<OnDisk[]> {
    const all: OnDisk[] = [];
    for (const [name, disk] of clones) {
      arm();
      // For any number of processes, one process builds the night itself.
      const many = { ...input, chunkVehicles: 1 };
      if (name === 'thin') {
        const { ran, files = this.#live } = await runThin(disk, this.#live, many, arm);
        if (ran.report) all.push({ disk: name, report: ran.report, visible: files });
      } else {
        const { report } = await runBuildOn(disk, many);
        if (report) {
          const visible = await this.#visible(disk, report);
          all.push({ disk: name, report, visible });
        }
      }
      await this.#disks.release(disk, { published: false });
    }
    return all;
  }

  /** The same with a thin build and a deploy. */
  async #thin(disk: string, input: RunInput, arm: () => void, killAfter?: number): Promise<Ran> {
    const { ran, files } = await runThin(disk, this.#live, input, arm, killAfter);
    if (files) await putSite(disk, files);
    return ran;
  }

  async #visible(disk: string, { outcome }: BuildReport): Promise<Tree> {
    return outcome === 'not-published' ? this.#live : readTree(siteOf(disk));
  }

  #pass(night: Night): string[] {
    this.#now += night.hours * HOUR;
    this.#setBack ||= night.hours < 0 || night.ahead > 0;
    this.#latest = Math.max(this.#latest, this.#now);
    return this.world.pass(night, this.#now);
  }

  /** Runs one night. @returns its violations. */
  async night(index: number, night: Night, notify: (text: string) => void): Promise<string[]> {
    const keys = this.#pass(night);
    const acceptLoss = night.accepts ? this.#held : [];
    this.#damage.push(...(await this.#disks.damage(night.damage)));
    this.#live = await this.#disks.host.files();
    const { deploys } = this.#caches[night.cache] ?? this.#caches.at(-1) ?? {};
    const isLate = night.detached && night.disk === 'restored' && deploys !== this.#deploys;
    const dealers = this.#dealers(index, night, { keys, acceptLoss, isLate });
    for (const [dealer, { possible, acceptsLoss }] of dealers.entries()) {
      if (possible.has('empty') && acceptsLoss) this.world.acceptsNothing(dealer, this.#now);
    }
    const config = withKeys(night.compared ? this.#stage.patient : this.#stage.config, keys);
    const now = this.#now + night.ahead * HOUR;
    const input = { config, keys, now, acceptLoss };
    const arm = () => this.world.arm(index, night, keys);
    const disks = this.#disks;
    // A disk with only untrusted stored state is more cautious.
    const isStruck = places.some((place) => this.#damage.some((one) => strikes(one, place)));
    const isComparable =
      !isStruck && !this.#undeployed && !this.#caches.some(({ undeployed }) => undeployed);
    const compared = night.compared && isComparable && dealers.every(({ believed }) => believed);
    const clones = compared ? await this.#clones(night) : new Map<string, string>();
    const disk = await disks.take(night.disk, night);
    const before = await published(siteOf(disk));
    arm();
    const unreachable = night.disk === 'unreachable' ? night.outage : undefined;
    const outage = night.detached ? 'detached' : unreachable;
    const ran = await withOutage(this.#stage.site, outage, () =>
      night.thin
        ? this.#thin(disk, input, arm, night.killAfter)
        : runBuildOn(disk, input, { killAfter: night.killAfter }),
    );
    const { report } = ran;
    const onClones = await this.#onClones(clones, input, arm);
    this.world.disarm();
    notify(`night ${index + 1}: ${JSON.stringify(night)} → ${resultOf(ran)}`);
    const after = await published(siteOf(disk));
    const claim = report && claimOf(report);
    const wrong = [
      ...(await checkFolder(siteOf(disk), { config, before, after, claim })),
      ...(await checkKeys([disk], ran.printed, this.world.keys)),
    ];
    if (report && report.outcome !== 'not-published') {
      wrong.push(...(await checkRecords(after.files)));
    }
    if (report && onClones.length > 0) {
      const visible = await this.#visible(disk, report);
      const main = { disk: night.disk, report, visible };
      wrong.push(...disagreements([main, ...onClones]));
    }
    const lacksThumbnails = night.detached && (night.disk !== 'kept' || night.lost !== undefined);
    this.#lackedThumbnails ||= lacksThumbnails;
    const isBuilt = this.#isNew(ran, disk, after.inode !== before.inode);
    const folder = night.thin && !ran.killed ? changesOf(disk) : siteOf(disk);
    const deployed = { folder, files: after.files, now };
    const refused = isBuilt ? await disks.deploy(deployed) : undefined;
    const isNew = isBuilt && refused === undefined;
    if (refused !== undefined) notify(`night ${index + 1}, deploy: ${refused}`);
    if (isBuilt) wrong.push(...(await this.#checkDeploy(night, deployed, refused)));
    wrong.push(
      ...checkNight({
        disk: night.disk,
        detached: night.detached,
        isLate,
        lacksThumbnails,
        now,
        before: this.#live,
        after: isBuilt ? after.files : this.#live,
        published: isNew,
        killed: ran.killed,
        patient: night.compared,
        report,
        dealers,
        pictureFaults: night.faults.some(({ fault }) => fault.route === 'picture'),
        unsettled: this.#unsettled,
        absentSince: this.world.absentSince,
        fewerPictures: this.world.fewerPictures,
      }),
    );
    await this.#remember({ ran, disk, files: after.files, isBuilt, isNew }, dealers, keys, night);
    return wrong;
  }

  /** Whether a deploy replaced the live site exactly when it had to. */
  async #checkDeploy(
    { disk, detached }: Pick<Night, 'disk' | 'detached'>,
    { files, now }: Deployed,
    refused: string | undefined,
  ): Promise<string[]> {
    const isBlind = disk === 'unreachable' || (detached && disk === 'empty');
    if (refused === undefined) {
      if (isBlind) return ['a build that could not read the site replaced it'];
      const wrong = differing(await this.#disks.host.files(), files);
      return wrong.map((file) => `${file} is not as it was deployed`);
    }
    if (isBlind || detached) return [];
    // Without times or pages of a dealer, its build cannot detect the site.
    const hasTimes = !this.#damage.some(({ file }) => file === 'times');
    const isNewcomer = places.some((place) => !this.#live.has(`${slugOf(place)}/index.html`));
    if (refused === 'deploy-first' && !hasTimes && isNewcomer) return [];
    const there = await this.#disks.host.built();
    const here = builtOf(files);
    const isOlder = refused === 'deploy-older' && here < there && there <= now;
    return isOlder ? [] : [`the deploy was refused without need: ${refused}`];
  }

  /** Whether the site on a disk is public. The files of a killed new machine are lost. */
  #isNew({ killed, report }: Ran, disk: string, replaced: boolean): boolean {
    if (killed) return replaced && disk === this.#disks.kept;
    return report !== undefined && report.outcome !== 'not-published';
  }

  async #remember(
    { ran: { killed, report }, disk, files, isBuilt, isNew }: Over,
    dealers: readonly DealerNight[],
    keys: string[],
    { ahead }: Pick<Night, 'ahead'>,
  ): Promise<void> {
    for (const { id, possible, believed } of dealers) {
      const confirmed = this.#confirmed[id - dealerId(0)];
      if (!confirmed) continue;
      const answered = ['whole', 'empty', 'bare', 'malformed'] as const;
      if (answered.some((answer) => possible.has(answer))) confirmed.latest = this.#now;
      const source = report?.dealers.find((one) => one.id === id)?.source;
      if (isNew && source === 'live') confirmed.surely = this.#now;
      // The snapshot may be older than the published state.
      else if (isNew && !believed) confirmed.surely = START;
    }
    this.#held = report ? heldIn(report) : [];
    this.#unsettled = !isNew && (this.#unsettled || killed || isBuilt);
    this.#undeployed = !isNew && (this.#undeployed || isBuilt);
    this.#wasAhead = (!isNew && this.#wasAhead) || ((isNew || isBuilt) && ahead > 0);
    if (isNew) this.#deploys++;
    if (!killed) {
      await this.#disks.saveCache(disk);
      const cache = { undeployed: this.#undeployed, deploys: this.#deploys };
      this.#caches = [cache, ...this.#caches].slice(0, 2);
    }
    if (isNew) {
      this.#live = files;
      this.#damage = [];
      this.#liveKeys = keys;
      this.world.isLive(files);
    }
    await this.#disks.release(disk, { published: isNew });
  }

  /** A night without faults: build and deploy. @returns its violations or the report. */
  async #plain(
    keys: string[],
    now: number,
  ): Promise<{ disk: string; report?: BuildReport; isLive?: boolean; wrong: string[] }> {
    const disk = await this.#disks.take(this.#schedule.calm, { cache: 0, lost: undefined });
    const config = withKeys(this.#stage.patient, keys);
    const { report } = await runBuildOn(disk, { config, keys, now, acceptLoss: [] });
    if (!report || report.problem) return { disk, wrong: [JSON.stringify(report?.problem)] };
    const folder = siteOf(disk);
    const deployed = { folder, files: await readTree(folder), now };
    const refused = await this.#disks.deploy(deployed);
    const plain = { disk: this.#schedule.calm, detached: false };
    const wrong = await this.#checkDeploy(plain, deployed, refused);
    return { disk, report, isLive: refused === undefined, wrong };
  }

  /** A night without faults one week later, when every picture is due. It must converge. */
  async calm(): Promise<string[]> {
    const { fromNothing } = this.#stage;
    this.world.restore({ keys: false });
    const keys = this.world.setKeys([]);
    const tomorrow = this.#latest + 24 * HOUR;
    if (this.#wasAhead) {
      // One build reports the wrong clock and corrects the times.
      const { disk, wrong, isLive = false } = await this.#plain(keys, tomorrow);
      if (wrong.length > 0) return wrong.map((text) => `night after a clock ahead: ${text}`);
      if (isLive) {
        this.#damage = [];
        this.#liveKeys = keys;
      }
      await this.#disks.saveCache(disk);
      await this.#disks.release(disk, { published: isLive });
    }
    const { disk, report, wrong } = await this.#plain(keys, tomorrow + 8 * 24 * HOUR);
    const on = `calm night, ${this.#schedule.calm}:`;
    if (!report || wrong.length > 0) return wrong.map((text) => `${on} ${text}`);
    const reported = [
      ...report.notes.filter(
        (note) => !this.#lackedThumbnails || !note.startsWith('Thumbnails on the'),
      ),
      ...report.dealers
        .flatMap(({ notes }) => notes)
        // Damage in this cache is reported once and then repaired.
        .filter((note) => !note.startsWith('The cached record is not used')),
      ...attentionOf(report).map(({ code }) => code),
    ];
    // A live site signed with other keys is reported as untrusted.
    const believed =
      this.#damage.length === 0 && places.every((dealer) => this.#isMarked(dealer, keys));
    const found = believed && reported.length > 0 ? [`${on} ${reported.join(' ')}`] : [];
    // The first night was a build from nothing of the same stock on another day.
    const different = differing(await readTree(siteOf(disk)), fromNothing);
    return [
      ...found,
      ...different.map((file) => `${on} ${file} is not what a build from nothing gives`),
    ];
  }
}

/** Runs one seed. Returns its violations as texts; empty without violations. */
export async function playSeed(
  seed: number,
  stage: Stage,
  notify: (text: string) => void,
): Promise<string[]> {
  await using folder = await temporaryFolder();
  const schedule = scheduleOf(seed, VEHICLES);
  const { firstNight } = stage;
  const disks = await Disks.after(firstNight, folder.path, { now: START });
  const play = new Play(stage, schedule, disks, await disks.host.files());
  try {
    for (const [index, night] of schedule.nights.entries()) {
      const wrong = await play.night(index, night, (text) => notify(`seed ${seed}, ${text}`));
      if (wrong.length > 0)
        return wrong.map((text) => `night ${index + 1}, ${night.disk}: ${text}`);
    }
    return await play.calm();
  } finally {
    play.world.restore({ keys: true });
  }
}
