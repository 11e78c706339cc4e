import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { freshClone, shellText } from './checkout.ts';

export interface Packed {
  /** Folders of the two packages in their published form. */
  program: string;
  create: string;
  /** npm's tarball of the first package, for installation. */
  tarball: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    packed: Packed;
  }
}

/**
 * Packs the package once for all test files, in a clone that is deleted first, so that no installed file can
 * depend on it.
 */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(path.join(tmpdir(), 'packed-'));
  const at = (name: string) => path.join(folder, name);
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
  try {
    await freshClone(at('clone'), 'linked');
    const line = `npm run package -- --quiet --output "${at('program')}"`;
    await shellText(line, { cwd: at('clone') });
    await cp(path.join(at('clone'), 'create'), at('create'), { recursive: true });
    await rm(at('clone'), { recursive: true });
    const tarball = await shellText('npm pack --silent ./program', { cwd: folder });
    project.provide('packed', {
      program: at('program'),
      create: at('create'),
      tarball: at(tarball),
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return remove;
}
