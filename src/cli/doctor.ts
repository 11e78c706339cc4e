import path from 'node:path';
import { cacheFolder, configFile, deployTarget } from '../config/environment.ts';
import type { Io, Run } from '../lib/command-line/definition.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import {
  type DoctorOptions,
  doctorJson,
  doctorText,
  type Examination,
  examine,
  exitCodeOf,
} from '../setup/doctor/doctor.ts';
import type { DOCTOR_OPTIONS } from './options.ts';

type Settings = Pick<DoctorOptions, 'file' | 'output' | 'cacheDir' | 'report' | 'deployTo'>;

/** Examines the project in the working folder, with its progress on standard error. */
export async function examineHere(
  settings: Settings,
  { stderr, signal, env, cwd }: Io,
  quiet: boolean,
): Promise<Examination> {
  const progress = createConsole({ stream: stderr, quiet });
  const examination = await examine({
    ...settings,
    envFile: path.resolve(cwd, '.env'),
    env,
    signal,
    onStep: (text) => progress.progress(text),
  });
  progress.finish();
  return examination;
}

export const run: Run<typeof DOCTOR_OPTIONS> = async ({ values }, io) => {
  const { stdout, env } = io;
  const settings: Settings = {
    file: configFile(values, io),
    output: values.output,
    cacheDir: cacheFolder(values, io),
    report: values.report,
    deployTo: values.host ?? deployTarget(env),
  };
  const examination = await examineHere(settings, io, values.quiet || values.json);
  const text = values.json ? doctorJson(examination) : doctorText(examination, values.quiet);
  stdout.write(`${text}\n`);
  return exitCodeOf(examination.findings);
};
