import { readFile, writeFile } from 'node:fs/promises';
import { EXIT } from '../../src/errors.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';

// If npm cannot fetch the description of a platform package, it omits the package from the lockfile, and
// `npm ci` refuses the lockfile on every machine. The registry is not needed: the parent has the version, and
// the package's name contains the platform.
interface LockEntry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
  [key: string]: unknown;
}

const OS = /^(?:android|darwin|freebsd|linux|openharmony|win32|aix|sunos|netbsd|openbsd)$/;
const CPU = /^(?:arm64|arm|ia32|loong64|mips64el|ppc64|ppc64le|riscv64|s390x|x64)$/;

/** Platform fields of a package from the words of its name. Undefined without a platform. */
function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> | undefined {
  const words = name.replace('windows', 'win32').split(/[/-]/);
  const os = words.find((word) => OS.test(word));
  const cpu = words.find((word) => CPU.test(word));
  if (os === undefined || cpu === undefined) return undefined;
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : os === 'linux' && words.some((word) => word.startsWith('gnu') || word === 'node')
      ? ['glibc']
      : undefined;
  return { cpu: [cpu], ...(libc && { libc }), os: [os] };
}

export const run: Run = async (_, { stdout, stderr }) => {
  let exitCode: number = EXIT.published;
  const file = 'package-lock.json';
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(await readFile(file, 'utf8'));
  let added = 0;
  for (const [parent, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const nested = `${parent && `${parent}/`}node_modules/${name}`;
      const hoisted = `node_modules/${name}`;
      const { libc } = platformOf(name) ?? {};
      // The packages with a Node do not name it. On Alpine, npm would install a Node that cannot start.
      if (libc && /^node-/.test(name)) Object.assign(lock.packages[hoisted] ?? {}, { libc });
      if (lock.packages[nested] || lock.packages[hoisted]) continue;
      const platform = platformOf(name);
      if (!platform || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
        stderr.write(
          `Cannot complete ${name}@${version}: not an exact version of a platform package.\n`,
        );
        exitCode = EXIT.internal;
        continue;
      }
      lock.packages[hoisted] = {
        version,
        cpu: platform.cpu,
        ...(entry.dev && { dev: true }),
        ...(platform.libc && { libc: platform.libc }),
        optional: true,
        os: platform.os,
      };
      added++;
    }
  }
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  );
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
  stdout.write(`package-lock.json: ${added} platform packages added.\n`);
  return exitCode;
};
