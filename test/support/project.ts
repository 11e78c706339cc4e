import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { inject } from 'vitest';
import { filesOf } from '../../create/project.js';
import { OWN_VERSION } from '../../src/lib/own-package.ts';
import { programPackages, shellText } from './checkout.ts';
import { writeFilesBelow } from './files-below.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The create package in its published form. */
export const CREATE = path.join(ROOT, 'create');

/** Folder of the Node that the packages need, because the machine's may be too old. */
export const NODE_FOLDER = path.dirname(process.execPath);

/** A project from `npm create vehicle-media-site` before init and without packages. */
async function bareProject(folder: string): Promise<void> {
  const manager = { name: 'npm', version: '' } as const;
  await writeFilesBelow(folder, filesOf({ folder, spec: `^${OWN_VERSION}`, manager }));
}

/** Such a project that links this checkout as its program, which is fast. */
export async function projectOfCheckout(folder: string): Promise<void> {
  await bareProject(folder);
  const packages = path.join(folder, 'node_modules');
  await mkdir(path.join(packages, '.bin'), { recursive: true });
  await symlink(ROOT, path.join(packages, 'vehicle-media-site'));
  await symlink(
    '../vehicle-media-site/src/cli/bin.ts',
    path.join(packages, '.bin/vehicle-media-site'),
  );
  await symlink(process.execPath, path.join(packages, '.bin/node'));
}

/** Such a project with linked packages. */
export async function linkedProject(folder: string): Promise<void> {
  await bareProject(folder);
  await linkPackages(folder);
}

/**
 * Adds the published package to a project, and links packages of this checkout instead of an installation. The
 * project uses the Node of this checkout.
 */
export async function linkPackages(folder: string): Promise<void> {
  const packages = path.join(folder, 'node_modules');
  const program = path.join(packages, 'vehicle-media-site');
  const { program: needed, node } = await programPackages();
  // Links of the files, not of the folders: the decoder may only read its own project.
  await shellText(
    `copy() { cp "$1" --parents ${needed.join(' ')} node_modules/.bin "${folder}"; }
     copy -al 2> /dev/null || copy -a
     for name in ${node.join(' ')}; do ln -s "${ROOT}/$name" "${packages}"; done
     cp -a "${inject('packed').program}" "${program}"`,
    { cwd: ROOT },
  );
  await symlink(
    '../vehicle-media-site/src/cli/bin.js',
    path.join(packages, '.bin/vehicle-media-site'),
  );
}
