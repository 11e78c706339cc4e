import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { invalid } from '../support/html.ts';
import { PAGE_KINDS } from '../support/kinds.ts';
import { sharedShowroom } from '../support/shared.ts';

const showroom = await sharedShowroom();

const read = (file: string) => readFile(path.join(showroom.folder, file), 'utf8');
const fileOf = (page: string) => (page.endsWith('.html') ? page : `${page}index.html`);

describe('HTML', () => {
  it.each(Object.entries(PAGE_KINDS))('is valid: %s', async (_kind, page) => {
    expect(await invalid(await read(fileOf(page)))).toEqual([]);
  });

  it('has no inline script or style, on any page', async () => {
    const files = await readdir(showroom.folder, { recursive: true });
    const pages = files.filter((file) => file.endsWith('.html'));
    expect(pages.length).toBeGreaterThan(40);
    for (const file of pages) {
      const html = await read(file);
      expect(html, file).not.toMatch(/<[^>]+\sstyle=|<style|\son\w+=|javascript:/i);
      const scripts = html.match(/<script(?![^>]*(?:src=|ld\+json|speculationrules))/g);
      expect(scripts, file).toBeNull();
      expect(html, file).toContain('http-equiv="Content-Security-Policy"');
    }
  });

  it('of a vehicle with 30 pictures is under 20 kB compressed', async () => {
    const html = await read('northgate/cd34efg/index.html');
    expect(html.match(/class="shot"/g)?.length).toBe(30);
    expect(gzipSync(html, { level: 9 }).length).toBeLessThan(20_000);
  });
});
