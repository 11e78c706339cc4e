import type { Run } from '../../src/lib/command-line/definition.ts';
import { doctorJson, findingLines } from '../../src/setup/doctor/doctor.ts';
import { exitCodeOf, upgradeSite } from '../../src/setup/upgrade/upgrade.ts';
import type { UPGRADE_OPTIONS } from './definitions/upgrade.ts';
import { configFile } from './shared/config-file.ts';

export const run: Run<typeof UPGRADE_OPTIONS> = async ({ values }, io) => {
  const { write, copy, merged, json } = values;
  const findings = await upgradeSite({
    file: configFile(values, io),
    root: io.cwd,
    write,
    copy,
    merged,
    signal: io.signal,
  });
  const lines = findings.length === 0 ? ['Nothing is left to do.'] : findingLines(findings);
  const text = json ? JSON.stringify(doctorJson(findings), null, 2) : lines.join('\n');
  io.stdout.write(`${text}\n`);
  return exitCodeOf(findings);
};
