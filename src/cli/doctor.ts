import path from 'node:path';
import { ciEnvironment, deployTarget } from '../config/environment.ts';
import type { Run } from '../lib/command-line/definition.ts';
import { createConsole } from '../lib/terminal/progress.ts';
import { doctorJson, doctorText, examine, exitCodeOf } from '../setup/doctor/doctor.ts';
import type { DOCTOR_OPTIONS } from './options.ts';
import { cacheFolder, configFile } from './shared.ts';

export const run: Run<typeof DOCTOR_OPTIONS> = async ({ values }, io) => {
  const { stdout, stderr, signal, env, cwd } = io;
  const around = ciEnvironment(env);
  const progress = createConsole({
    stream: stderr,
    quiet: values.quiet || values.json,
    githubActions: around.githubActions,
  });
  const examination = await examine({
    file: configFile(values, io),
    output: values.output,
    cacheDir: cacheFolder(values, io),
    report: values.report,
    deployTo: values.host ?? deployTarget(env),
    envFile: path.resolve(cwd, '.env'),
    env,
    signal,
    onStep: (text) => progress.progress(text),
  });
  progress.finish();
  const text = values.json ? doctorJson(examination) : doctorText(examination, values.quiet);
  stdout.write(`${text}\n`);
  return exitCodeOf(examination.findings);
};
