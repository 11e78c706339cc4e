import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

interface Manifest {
  version: string;
  optionalDependencies?: Record<string, string>;
}

/**
 * Version of the image library, for the names of outputs. It is read from sharp's
 * package.json rather than from sharp itself, because loading libvips costs 80 ms, which a build
 * that makes no picture need not pay. All platforms bundle one version of libvips and its encoders.
 */
export function libraryVersion(): string {
  const file = findPackageJSON('sharp', import.meta.url);
  if (file === undefined) throw new Error('sharp is not installed');
  const { version, optionalDependencies }: Manifest = JSON.parse(readFileSync(file, 'utf8'));
  const bundle = optionalDependencies?.['@img/sharp-libvips-linux-x64'];
  return bundle === undefined ? `sharp-${version}` : `libvips-${bundle}`;
}
