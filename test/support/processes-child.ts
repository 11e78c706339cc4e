/** Builds with several processes, for a test that kills the first of them: `CONFIG OUTPUT CACHE`. */
import { loadConfig } from '../../src/config/load.ts';
import { runBuild } from '../../src/publish/run.ts';
import { recordingConsole } from './build.ts';

const [file = '', output = '', cacheDir = ''] = process.argv.slice(2);
const loaded = await loadConfig({ file, keysFor: 'dealers' });
// With more, the first process would wait for dealers that do not respond.
const config = { ...loaded, service: { ...loaded.service, concurrency: 2 } };
await runBuild({ config, output, cacheDir, console: recordingConsole(), chunkVehicles: 1 });
