/** Runs one full production build and prints its report. */
import { resolveConfig } from '../../src/config/load.ts';
import { createConsole } from '../../src/lib/terminal/progress.ts';
import { runBuild } from '../../src/publish/run.ts';

const { config, output, cacheDir, now, fromPublished, form } = JSON.parse(process.argv[2] ?? '{}');
const loaded = resolveConfig(config, {
  file: 'bench',
  keysFor: 'dealers',
  env: { MEDIA_API_KEY: '0123456789abcdef0123456789abcdef' },
});
const DAY = 86_400_000;
const result = await runBuild({
  // No picture is revalidated because of its age.
  config: { ...loaded, media: { ...loaded.media, revalidateAfter: 60 * DAY } },
  output,
  cacheDir,
  now,
  fromPublished,
  form,
  console: createConsole({ stream: process.stderr, quiet: true }),
});
if (result.error) throw result.error;
console.log(JSON.stringify(result.report));
