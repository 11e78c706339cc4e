import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { demoConfig, writeDemoStock } from '../../src/cli/demo.ts';
import type { UserConfig } from '../../src/config/schema.ts';
import { describeError, EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { untilAborted } from '../../src/lib/command-line/process.ts';
import { makeFolder } from '../../src/lib/files/write.ts';
import { onFreePort, startStaticServer } from '../../src/lib/static-server/server.ts';
import { createConsole } from '../../src/lib/terminal/progress.ts';
import { claimDemo } from '../../src/publish/folder-checks/check.ts';
import { runAndReport } from '../../src/publish/run-and-report.ts';
import { livePresent, REAL_FIELD_NAMES } from '../../src/sample-service/options.ts';
import { startSampleService } from '../../src/sample-service/server.ts';
import type { START_OPTIONS } from './options.ts';
import { DEMO_SHAPE } from './options.ts';

export const run: Run<typeof START_OPTIONS> = async (
  { values },
  { stdout, stderr, cwd, signal },
) => {
  const console_ = createConsole({ stream: stdout, quiet: values.quiet });
  const { port, 'service-port': servicePort, vehicles, folder } = values;
  claimDemo(folder);
  const realNames = values['real-names'];
  const output = path.join(folder, 'site');
  // The server warns about a missing folder.
  makeFolder(output);
  await using service = await onFreePort(
    servicePort,
    (free) =>
      startSampleService({
        ...livePresent(),
        port: free,
        ...DEMO_SHAPE,
        vehicles,
        ...(realNames && { fieldNames: REAL_FIELD_NAMES }),
      }),
    (text) => console_.line(text),
  );
  console_.line(`Sample service: ${service.baseUrl}`);
  await using site = await onFreePort(
    port,
    (free) => startStaticServer({ folder: output, port: free }),
    (text) => console_.line(text),
  );
  const config: UserConfig = demoConfig({
    baseUrl: service.baseUrl,
    siteUrl: site.url,
    dealers: await writeDemoStock(service.data.dealers, folder),
    ...(realNames && { fieldNames: REAL_FIELD_NAMES }),
  });
  const file = path.join(folder, 'site.config.json');
  await writeFile(file, `${JSON.stringify(config, null, 2)}\n`);
  const result = await runAndReport({
    file,
    env: { MEDIA_API_KEY: service.mediaKey },
    reportFile: path.join(folder, 'build-report.json'),
    place: path.relative(cwd, output),
    output,
    cacheDir: path.join(folder, 'cache'),
    console: console_,
    signal,
  });
  if (result.error) {
    stderr.write(`${describeError(result.error)}\n`);
    return result.exitCode;
  }
  console_.line('');
  if (!values.once) {
    console_.line(`The site is at ${site.url}`);
    const example = result.report.dealers[0];
    if (example) console_.line(`  a dealer:  ${site.url}${example.slug}/`);
  }
  console_.line(`  its files: ${output}`);
  console_.line(`  report:    ${path.join(folder, 'build-report.json')}`);
  if (values.once) return EXIT.published;
  console_.line('Ctrl-C stops it.');
  await untilAborted(signal);
  return EXIT.published;
};
