import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { inject } from 'vitest';
import { launchBrowser } from './browser.ts';
import { openShowroom, type Showroom } from './showroom.ts';

/*
 * Resources shared by test files of one process, because creating them is slow. Tests must not change them.
 * They end with the process, and their folder with the run.
 */

let browser: Promise<Browser> | undefined;
let showroom: Promise<Showroom> | undefined;

/** A browser. Each visit has a separate context. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= launchBrowser();
  return browser;
}

/** The showroom as it is by default. */
export function sharedShowroom(): Promise<Showroom> {
  showroom ??= mkdtemp(path.join(inject('folder'), 'showroom-')).then((folder) =>
    openShowroom({}, {}, folder),
  );
  return showroom;
}
