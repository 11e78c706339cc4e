import path from 'node:path';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { doctorJson, findingLines } from '../../src/setup/doctor/doctor.ts';
import { writerFor } from '../../src/setup/init/project-writer.ts';
import { ORIGINALS } from '../../src/setup/upgrade/originals.ts';
import { exitCodeOf, upgradeSite } from '../../src/setup/upgrade/upgrade.ts';
import type { UPGRADE_OPTIONS } from './definitions/upgrade.ts';
import { configFile } from './shared/config-file.ts';

export const run: Run<typeof UPGRADE_OPTIONS> = async ({ values }, io) => {
  const { write, copy, merged, json } = values;
  const file = configFile(values, io);
  const findings = await upgradeSite({
    file,
    root: io.cwd,
    write,
    copy,
    merged,
    // Of what was noted of an original, nobody needs a copy.
    writer: writerFor(path.dirname(file), (one) => !one.split(path.sep).includes(ORIGINALS)),
    signal: io.signal,
  });
  const lines = findings.length === 0 ? ['Nothing is left to do.'] : findingLines(findings);
  const text = json ? JSON.stringify(doctorJson(findings), null, 2) : lines.join('\n');
  io.stdout.write(`${text}\n`);
  return exitCodeOf(findings);
};
