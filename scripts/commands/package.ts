import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { ConfigError, EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { PACKAGE_ROOT } from '../../src/lib/own-package.ts';
import { SCENES } from '../../src/sample-service/drawing/spec.ts';
import type { PACKAGE_OPTIONS } from './options.ts';
import { rewriteTexts } from './shared/published-texts.ts';

const execute = promisify(execFile);

/** Published unchanged: data, texts, and the source file that browser scripts include. */
const COPIED = [
  'src/stock/plate.ts',
  'src/images/card/OFL.txt',
  'src/setup/templates',
  'src/batches/report/report.css',
  'src/batches/report/report.njk',
  'src/sample-service/pages',
  'templates',
  'docs',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'Dockerfile',
  'Dockerfile.dockerignore',
];

/** Documentation for developers of the program, and schemas that every site publishes. */
const NOT_COPIED =
  /^docs\/(?:architecture\.md|performance\.md|reliability\.md|bench|decisions|images|schema\/(?:dealer|vehicle)-media\.schema\.json)(?:\/|$)/;

interface Manifest {
  name: string;
  bin: Record<string, string>;
  exports: Record<string, string>;
  [field: string]: unknown;
}

/** Fields of the repository's manifest that users of the package do not need. */
const REPOSITORY_FIELDS = [
  'private',
  'scripts',
  'devDependencies',
  'optionalDependencies',
  'overrides',
];

const compiledFile = (file: string): string => file.replace(/\.ts$/, '.js');

/**
 * The manifest of the package: the repository's manifest without fields for development. The bundled Node is for
 * developers of the repository. In another project, it would replace that project's Node.
 */
export function publishedManifest(manifest: Manifest): Manifest {
  const fields = Object.fromEntries(
    Object.entries(manifest).filter(([field]) => !REPOSITORY_FIELDS.includes(field)),
  );
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([name, file]) => [
      name,
      file.endsWith('.ts')
        ? { types: file.replace(/\.ts$/, '.d.ts'), default: compiledFile(file) }
        : file,
    ]),
  ) as unknown as Manifest['exports'];
  const bin = Object.fromEntries(
    Object.entries(manifest.bin).map(([name, script]) => [name, compiledFile(script)]),
  );
  return { ...fields, bin, exports } as Manifest;
}

const declarationFile = (file: string): string => file.replace(/\.[jt]s$/, '.d.ts');

/** Removes declarations that no entry imports. */
async function removeUnused(output: string, entries: readonly string[]): Promise<void> {
  const used = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (used.has(file)) return;
    used.add(file);
    const text = await readFile(file, 'utf8');
    for (const [, name = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
      await visit(path.resolve(path.dirname(file), declarationFile(name)));
    }
  };
  for (const file of entries) await visit(path.resolve(output, declarationFile(file)));
  for (const name of await readdir(output, { recursive: true })) {
    const file = path.resolve(output, name);
    if (file.endsWith('.d.ts') && !used.has(file)) await rm(file);
  }
}

/** Adds the import attribute that tsc 7 omits in declarations. Without it, nodenext refuses JSON. */
async function addJsonAttributes(output: string): Promise<void> {
  for (const name of await readdir(output, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = path.join(output, name);
    const text = await readFile(file, 'utf8');
    const complete = text.replaceAll(/( from '\.[^']+\.json');/g, "$1 with { type: 'json' };");
    if (complete !== text) await writeFile(file, complete);
  }
}

/** Maximum lines of the compiler's output in an error. */
const LISTED = 20;

/** @throws {ConfigError} the code does not compile. */
export async function runCompiler(args: readonly string[]): Promise<void> {
  const tsc = path.join(PACKAGE_ROOT, 'node_modules', '.bin', 'tsc');
  try {
    await execute(tsc, args, { cwd: PACKAGE_ROOT });
  } catch (cause) {
    const { stdout, message } = cause as Error & { stdout?: string };
    const lines = (stdout?.trim() || message).split('\n');
    throw new ConfigError({
      code: 'package-not-compiled',
      what: 'This clone cannot be packed, because its code does not compile.',
      why: [...lines.slice(0, LISTED), ...(lines.length > LISTED ? ['…'] : [])].join('\n'),
      fix: 'Correct these lines. If you changed no code, run "npm ci" in the clone.',
      cause,
    });
  }
}

/** Compiles the program, and declarations of its exports. */
async function compile(output: string, entries: readonly string[]): Promise<void> {
  await runCompiler(['-p', 'tsconfig.package.json', '--outDir', output]);
  const declarations = path.join(output, 'tsconfig.json');
  await writeFile(
    declarations,
    JSON.stringify({
      extends: path.join(PACKAGE_ROOT, 'tsconfig.package.json'),
      compilerOptions: {
        outDir: output,
        rootDir: PACKAGE_ROOT,
        typeRoots: [path.join(PACKAGE_ROOT, 'node_modules', '@types')],
        declaration: true,
        emitDeclarationOnly: true,
        removeComments: false,
      },
      include: [path.join(PACKAGE_ROOT, 'src/**/*.d.ts')],
      files: entries.map((file) => path.join(PACKAGE_ROOT, file)),
    }),
  );
  await runCompiler(['-p', declarations]);
  await rm(declarations);
  await removeUnused(output, entries);
  await addJsonAttributes(output);
}

/** The package has smaller scenes of only three models, because scenes are most of its bytes. */
const PUBLISHED_SCENES = /^[012]-\w+\.webp$/;
const SCENE_WIDTH = 680;
const SCENE_QUALITY = 48;

async function copyScenes(output: string): Promise<void> {
  const target = path.join(output, path.relative(PACKAGE_ROOT, SCENES));
  await mkdir(target, { recursive: true });
  for (const name of await readdir(SCENES)) {
    if (!PUBLISHED_SCENES.test(name)) continue;
    await sharp(path.join(SCENES, name))
      .resize(SCENE_WIDTH)
      .webp({ quality: SCENE_QUALITY, effort: 6 })
      .toFile(path.join(target, name));
  }
}

/** @throws {ConfigError} the folder has other content than an earlier package. */
async function checkFolder(output: string, { name }: Manifest): Promise<void> {
  const files = await readdir(output).catch(() => []);
  if (files.length === 0) return;
  const text = await readFile(path.join(output, 'package.json'), 'utf8').catch(() => '{}');
  const otherManifest = JSON.parse(text) as Partial<Manifest>;
  if (otherManifest.name === name && otherManifest.private === undefined) return;
  throw new ConfigError({
    code: 'output-not-ours',
    what: `Nothing was changed: ${output} is not a package that this command made.`,
    why: 'This command replaces everything in the folder.',
    fix: 'Choose another folder with --output, preferably a new one.',
  });
}

export const run: Run<typeof PACKAGE_OPTIONS> = async ({ values }, { stdout }) => {
  const { output, quiet } = values;
  const file = path.join(PACKAGE_ROOT, 'package.json');
  const manifest: Manifest = JSON.parse(await readFile(file, 'utf8'));
  await checkFolder(output, manifest);
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const entries = Object.values(manifest.exports).filter((name) => name.endsWith('.ts'));
  await compile(output, entries);
  await chmod(path.join(output, 'src', 'cli', 'bin.js'), 0o755);
  for (const name of COPIED) {
    await cp(path.join(PACKAGE_ROOT, name), path.join(output, name), {
      recursive: true,
      filter: (file) => !NOT_COPIED.test(path.relative(PACKAGE_ROOT, file)),
    });
  }
  await copyScenes(output);
  await writeFile(
    path.join(output, 'package.json'),
    `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`,
  );
  await rewriteTexts(output, manifest.name);
  if (!quiet) stdout.write(`The package is in ${output}: npm pack ${output}\n`);
  return EXIT.published;
};
