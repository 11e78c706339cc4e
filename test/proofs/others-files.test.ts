import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeDemoStock } from '../../src/cli/demo.ts';
import { checkReport, claimDemo } from '../../src/publish/folder-checks/check.ts';
import { writeReport } from '../../src/publish/report/report.ts';
import { build, buildSite, configFor } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { changesOf, type Tree, writeTree } from '../support/others-files.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** `OTHERS_RUNS` sets the number of runs, for a longer proof. */
const RUNS = Number(process.env.OTHERS_RUNS ?? 60);

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, images: 1 }));

const configIn = (project: string) => ({
  ...configFor(service, {
    dealers: [{ id: 7001, name: 'One', slug: 'one' }],
    media: { widths: [64] },
  }),
  file: path.join(project, 'site.config.json'),
});

/** Names that this program uses, and unrelated names. */
const name = fc.constantFrom(
  ...['site', 'public', 'theme', 'cache', 'demo', 'one', 'new', 'Site', 'PUBLIC', 'CACHE'],
  ...['media', 'files', 'published', 'manifests', 'snapshots', 'pages', 'service', 'schema', 'ab'],
  ...['.public.work', '.new.work', '.one.work', 'next', 'former', 'work', '.git', '.well-known'],
  ...['package.json', 'index.html', 'CNAME', 'notes.txt', '7001.json', '7009.txt', 'a.tmp'],
  ...['dealer-7001.snapshot', 'dealer-7001.x.records', 'report.json', '404.html'],
  ...['published.manifest', 'vehicle-media.json', 'media.json', 'stock-7001.csv'],
);
const somePath = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('site', 'public', 'cache', 'demo', 'theme', 'new', '.site.work'),
      name,
    ),
    fc.array(name, { maxLength: 3 }),
  )
  .map(([first, rest]) => [first, ...rest].join('/'));
const content = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('mine', '{}', '{"version":1}', '[]', '0'.repeat(64)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('public', '../site', '..', 'cache/media', 'nowhere', 'theme')
      .map((link) => ({ link })),
  },
);
const tree: fc.Arbitrary<Tree> = fc.dictionary(somePath, content, { minKeys: 3, maxKeys: 15 });

/** Paths that a command may get as a folder or a file. */
const place = fc.oneof(
  fc.constantFrom('.', '..', 'site', 'public', 'theme', 'theme/site', 'cache', 'cache/site'),
  fc.constantFrom('site/cache', 'new', 'new/deep', 'Site', 'link', '.site.work', 'demo'),
  fc.constantFrom('.site.work/next', 'cache/media', 'notes.txt', 'report.json', 'public/../new'),
  somePath,
);
const usual = (folder: string) => fc.oneof(fc.constant(folder), place);
const command = fc.oneof(
  fc.record({
    run: fc.constant('build' as const),
    output: usual('site'),
    cache: usual('cache'),
    report: usual('report.json'),
  }),
  fc.record({ run: fc.constant('demo' as const), folder: usual('demo') }),
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** Runs the code of a command and returns its error. */
async function perform(project: string, given: Command): Promise<unknown> {
  const config = configIn(project);
  const at = (where: string) => path.join(project, where);
  switch (given.run) {
    case 'build': {
      const [output, cacheDir, report] = [given.output, given.cache, given.report].map(at);
      checkReport(report as string, output as string);
      const result = await build(config, project, {
        output: output as string,
        cacheDir: cacheDir as string,
      });
      await writeReport(report as string, result.report);
      return result.error;
    }
    case 'demo':
      claimDemo(at(given.folder));
      mkdirSync(at(given.folder), { recursive: true });
      await writeDemoStock(service.data.dealers, at(given.folder));
      return undefined;
  }
}

/** Files in folders of a build, whose markers warn users not to keep files there. */
const isOurPlace = (file: string) =>
  /^\.site\.work\/|^cache\/(?:media|snapshots|pages|service)\/(?:.*\/)?(?:\d+\.\w+|dealer-\d+\.snapshot)$/.test(
    file,
  );

it(
  `no command changes or deletes user files in ${RUNS} random trees`,
  async () => {
    const folder = tempFolder();
    const made = path.join(folder, 'made');
    mkdirSync(made);
    await buildSite(configIn(made), made);
    const { report } = await build(configIn(made), made);
    await writeReport(path.join(made, 'report.json'), report);

    let number = 0;
    const outcomes = { done: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        tree,
        fc.array(command, { minLength: 1, maxLength: 2 }),
        async (builtBefore, others, commands) => {
          const world = path.join(folder, `world-${++number}`);
          const project = path.join(world, 'project');
          if (builtBefore) cpSync(made, project, { recursive: true });
          const files = Object.entries(others).filter(
            ([file]) => !builtBefore || !isOurPlace(path.posix.normalize(file)),
          );
          const userFiles = writeTree(project, Object.fromEntries(files));
          const config = writeTree(world, {
            'project/site.config.json': '{}',
            'notes.txt': 'mine',
          });
          for (const given of commands) {
            const error = await perform(project, given).catch((reason: unknown) => reason);
            if (error === undefined) outcomes.done++;
            else outcomes.refused++;
            expect([...changesOf(userFiles), ...changesOf(config)], String(error)).toEqual([]);
          }
        },
      ),
      { numRuns: RUNS },
    );
    // Some commands are refused and some succeed.
    expect(outcomes.done).toBeGreaterThan(RUNS / 10);
    expect(outcomes.refused).toBeGreaterThan(RUNS / 10);
  },
  600_000 + RUNS * 1000,
);
