import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { packageVersion } from '../../src/lib/own-package.ts';

export interface BrowserHome {
  executablePath: string;
  /** Added to the environment of the browser: its own libraries and fonts. */
  env: Record<string, string>;
}

const run = promisify(execFile);

// Rooted CI containers have no user namespaces for the sandbox. The pages under test are trusted.
const FLAGS = ['--no-sandbox', '--disable-quic', '--disable-background-networking'];

/** Starts the given browser. */
export const startBrowser = (
  { executablePath, env }: BrowserHome,
  more: readonly string[] = [],
): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [...FLAGS, ...more],
    env: { ...process.env, ...env } as Record<string, string>,
  });

const WHAT_TO_DO = `Install a Chromium of your own and name it: CHROMIUM_PATH=/usr/bin/chromium npm run test:browser
(Debian, Ubuntu: apt-get install chromium; others: see CONTRIBUTING.md).`;

async function starts({ executablePath, env }: BrowserHome): Promise<Error | undefined> {
  try {
    await run(executablePath, ['--version'], { env: { ...process.env, ...env }, timeout: 30_000 });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Unpacks the bundled browser with its libraries and fonts below `folder`. */
async function unpack(folder: string): Promise<void> {
  const saved = { ...process.env };
  // The package unpacks into the temporary folder, and its libraries only on Amazon's machines. Both
  // variables are set only during the call.
  process.env.TMPDIR = folder;
  process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs24.x';
  try {
    const { default: bundled } = await import('@sparticuz/chromium');
    await bundled.executablePath();
  } finally {
    for (const key of Object.keys(process.env)) if (!(key in saved)) delete process.env[key];
    Object.assign(process.env, saved);
  }
}

/** The folder of the bundled browser. It is kept for later runs, because unpacking takes four seconds of CPU time. */
async function unpacked(): Promise<string> {
  const folder = path.resolve('.vitest', `chromium-${packageVersion('@sparticuz/chromium')}`);
  if (existsSync(folder)) return folder;
  await mkdir(path.dirname(folder), { recursive: true });
  const incoming = await mkdtemp(`${folder}-`);
  try {
    await unpack(incoming);
    // The bundled fonts configuration names folders of Amazon's machines, and /tmp/fonts. Without any font,
    // Chromium shows no text and does not move the caret.
    await writeFile(
      path.join(incoming, 'fonts', 'fonts.conf'),
      `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${path.join(folder, 'fonts', 'fonts')}</dir><cachedir>${path.join(folder, 'fonts-cache')}</cachedir></fontconfig>\n`,
    );
    await rename(incoming, folder);
  } catch (error) {
    await rm(incoming, { recursive: true });
    // Another run was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/**
 * A browser that starts on this machine: the one in `CHROMIUM_PATH`, otherwise the bundled one, with the
 * machine's libraries or, if they are missing, with bundled ones.
 *
 * @throws an Error with the reason and a fix if none starts.
 */
export async function findBrowser(): Promise<BrowserHome> {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    const home = { executablePath: named, env: {} };
    const fault = await starts(home);
    if (!fault) return home;
    throw new Error(`The browser of CHROMIUM_PATH (${named}) does not start: ${fault.message}`);
  }
  const folder = await unpacked();
  const executablePath = path.join(folder, 'chromium');
  const fonts = { FONTCONFIG_PATH: path.join(folder, 'fonts') };
  const bare = { executablePath, env: fonts };
  const withLibraries = {
    executablePath,
    env: { ...fonts, LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib') },
  };
  if (!(await starts(bare))) return bare;
  const fault = await starts(withLibraries);
  if (!fault) return withLibraries;
  throw new Error(
    `The bundled browser does not start on this machine: ${fault.message}\n${WHAT_TO_DO}`,
  );
}
