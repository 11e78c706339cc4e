import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { inject } from 'vitest';
import { launchBrowser } from './browser.ts';
import { openShowroom, type Showroom } from './showroom.ts';

/*
 * What test files of one process share, since making it takes longer than looking at it. Nobody may change
 * it. It ends with the process, and its folder with the run.
 */

let browser: Promise<Browser> | undefined;
let showroom: Promise<Showroom> | undefined;

/** A browser. Each visit has a context of its own. */
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
