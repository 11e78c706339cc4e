import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { shell, shellText } from './checkout.ts';

const require = createRequire(import.meta.url);
const TOOL = path.join(
  path.dirname(require.resolve('gitlab-ci-local/package.json')),
  'dist/index.js',
);

/** A pipeline for GitLab with the values of its inputs, by default their defaults. Values are strings. */
export function pipelineIn(text: string, values: Record<string, string> = {}) {
  const [header, body] = parseAllDocuments(text).map((document) => document.toJS());
  const { inputs } = header.spec as { inputs: Record<string, { default: string }> };
  const filled = JSON.stringify(body).replace(
    /\$\[\[ inputs\.([\w-]+) \]\]/g,
    (_, name: string) => {
      const value = values[name] ?? inputs[name]?.default;
      if (value === undefined) throw new Error(`The pipeline has no input ${name}`);
      return JSON.stringify(value).slice(1, -1);
    },
  );
  return { inputs, ...JSON.parse(filled) };
}

/**
 * `.gitlab-ci.yml` of a folder parsed by gitlab-ci-local with GitLab's schema.
 *
 * @returns variables, and names of jobs in the order of their stages.
 * @throws an Error with the tool's message if the file is wrong.
 */
export async function readPipeline(
  cwd: string,
): Promise<{ variables: Record<string, string>; jobs: string[] }> {
  // The tool asks git for an origin, but fetches nothing from it.
  await shell(
    'git remote add origin git@gitlab.test:cars/site.git; git config user.name A; git config user.email a@cars.test',
    { cwd },
  );
  const preview = await shellText(`"${process.execPath}" "${TOOL}" --preview`, {
    cwd,
    env: { NO_COLOR: '1' },
  }).finally(() => rm(path.join(cwd, '.gitlab-ci-local'), { recursive: true, force: true }));
  const { stages, variables, ...others } = parse(preview);
  const jobs = Object.keys(others).filter((name) => others[name].script !== undefined);
  const stageOf = (name: string) => stages.indexOf(others[name].stage);
  return { variables, jobs: jobs.sort((one, other) => stageOf(one) - stageOf(other)) };
}
