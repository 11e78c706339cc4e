import { availableParallelism, devNull } from 'node:os';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const cores = availableParallelism();

const SECONDS = 1000;

/** Tests run git without your settings, such as signed commits. This checkout may belong to another user. */
Object.assign(process.env, {
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_SYSTEM: devNull,
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
});

/** For processes that tests start, as in `npm run build`: they spend most of their time loading the program. */
const env = { NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/compiled') };

/** Options of projects that mostly build sites. */
const BUILDS: TestProjectInlineConfiguration['test'] = {
  globalSetup: ['test/support/folder-in-memory.ts', 'test/support/global-setup.ts'],
  setupFiles: ['test/support/secret-equality.ts'],
  // Few processes, each for many test files, so that imports are loaded and compiled once.
  isolate: false,
  env,
  // Far more than any test needs, so that a busy machine does not decide.
  testTimeout: 300 * SECONDS,
  // The default is one second, which a busy machine may need for a single frame.
  expect: { poll: { timeout: 15 * SECONDS } },
  hookTimeout: 300 * SECONDS,
};

/** Each project is one or several lanes of .ci/run, see the scripts in package.json. */
const projects: TestProjectInlineConfiguration['test'][] = [
  {
    // npm test runs unit, hostile and integration. Builds (series of whole builds) and browser are separate lanes.
    name: 'main',
    include: ['test/{unit,hostile,integration,builds,browser}/**/*.test.ts'],
    ...BUILDS,
    // Imports JSON without an import attribute, which Node refuses but Vite allows.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // One more than cores, because tests wait for browsers and other processes a quarter of their time.
    maxWorkers: cores + 1,
  },
  {
    // Tests with many repetitions: kills at many moments, random values, sites and edits, formats of pictures, forged
    // records, every command of the documentation, every file that the doctor and a build read.
    name: 'proofs',
    include: ['test/{proofs,property}/*.test.ts'],
    ...BUILDS,
    maxWorkers: Math.max(2, cores),
  },
  {
    // Packs the published packages, and really installs them with each package manager, so it needs the registry.
    // Two files at a time, because they mostly wait.
    name: 'packages',
    include: ['test/{first-day,package}/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/support/packed.ts'],
    maxWorkers: 2,
    testTimeout: 600 * SECONDS,
    hookTimeout: 300 * SECONDS,
  },
  {
    // Needs redis-server on the PATH. Each test file starts one on a separate socket. Workers, coordinator and Redis
    // are separate processes, so no other file runs at the same time.
    name: 'queue',
    include: ['test/queue/*.test.ts'],
    globalSetup: ['test/support/folder-in-memory.ts'],
    env,
    maxWorkers: 1,
    testTimeout: 300 * SECONDS,
    hookTimeout: 60 * SECONDS,
  },
  {
    // Needs Ceph's ceph-mon, ceph-osd and radosgw, and redis-server, on the PATH.
    name: 's3',
    include: ['test/s3/*.test.ts'],
    globalSetup: ['test/support/ceph.ts'],
    maxWorkers: 1,
    testTimeout: 300 * SECONDS,
    hookTimeout: 180 * SECONDS,
  },
  {
    // Builds an image from Debian and npm packages, and runs it. Needs buildah and root.
    name: 'container',
    include: ['test/container/*.test.ts'],
    globalSetup: ['test/support/packed.ts'],
    testTimeout: 300 * SECONDS,
    hookTimeout: 900 * SECONDS,
  },
  {
    // Lighthouse measures time, so no other lane may run at the same time.
    name: 'lighthouse',
    include: ['test/lighthouse/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 1,
    // A busy machine also blocks the page's thread, so a page passes if one of three runs does.
    retry: 2,
    testTimeout: 120 * SECONDS,
    hookTimeout: 300 * SECONDS,
  },
];

export default defineConfig({
  test: {
    // Projects with different numbers of workers run one after another.
    projects: projects.map((test, groupOrder) => ({ test: { ...test, sequence: { groupOrder } } })),
    sequence: { sequencer: LongestFirst },
  },
});
