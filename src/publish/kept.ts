import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';

const FILE = 'kept';
/** The form of the file, and of the keys in it. */
const VERSION = 1;

const checksum = (body: string): string => hash('sha256', body, 'hex');

/** What a file holds; nothing where it is torn, missing or of another version. */
async function read(file: string): Promise<Map<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const body = text.slice(65);
  if (body === '' || text.slice(0, 64) !== checksum(body)) return new Map();
  // The checksum vouches for the form: this is our own writing.
  const { version, made } = JSON.parse(body) as { version: number; made: Record<string, string> };
  return new Map(version === VERSION ? Object.entries(made) : []);
}

/** Version of an installed package, without loading it. */
export function packageVersion(name: string): string {
  const file = findPackageJSON(name, import.meta.url);
  if (file === undefined) throw new Error(`${name} is not installed`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/**
 * What builds make of their own files (scripts made smaller, templates found to be good), kept in
 * the cache: it follows from its input alone and costs more than all else of a build in which
 * nothing changed. A file that is lost or torn costs that time once, never correctness. What a build
 * does not ask for is forgotten.
 */
export class Kept {
  readonly #folder: string | undefined;
  readonly #former: ReadonlyMap<string, string>;
  readonly #made = new Map<string, string>();

  private constructor(folder: string | undefined, former: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#former = former;
  }

  /** What an earlier build left in a cache folder; without one, everything is made. */
  static async open(cacheDir?: string): Promise<Kept> {
    return new Kept(cacheDir, cacheDir ? await read(path.join(cacheDir, FILE)) : new Map());
  }

  /**
   * What follows from an input: as it was made before, or made now.
   *
   * @param input all that the result depends on, versions of programs included.
   * @throws what `make` throws; nothing is kept then.
   */
  async of(input: readonly unknown[], make: () => Promise<string> | string): Promise<string> {
    const key = checksum(JSON.stringify(input));
    const made = this.#made.get(key) ?? this.#former.get(key) ?? (await make());
    this.#made.set(key, made);
    return made;
  }

  /** Writes what was asked for since it was opened, atomically; nothing where that is known. */
  async save(): Promise<void> {
    if (this.#folder === undefined) return;
    const same = [...this.#made.keys()].every((key) => this.#former.has(key));
    if (same && this.#made.size === this.#former.size) return;
    const body = JSON.stringify({ version: VERSION, made: Object.fromEntries(this.#made) });
    await mkdir(this.#folder, { recursive: true });
    await writeFileAtomic(path.join(this.#folder, FILE), `${checksum(body)}\n${body}`);
  }
}
