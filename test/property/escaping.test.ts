import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import nunjucks from 'nunjucks';
import { describe, expect, it } from 'vitest';
import { markdownText } from '../../src/publish/report/summary.ts';
import { templateEnvironment } from '../../src/render/theme/page-renderer.ts';
import { jsonForScript } from '../../src/site/views/json-ld.ts';
import { temporaryFolder } from '../support/build.ts';
import { anyText, RUNS } from './support.ts';

describe('any text', () => {
  it('is plain text in Markdown', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(markdownText(text).replace(/&(?:#\d+|amp|lt|gt);/g, '')).not.toMatch(
          /[\n\r<>&|`*_[\]()#!@$:.~\\{}+-]/,
        );
      }),
      RUNS,
    );
  });

  it('survives JSON in a script and cannot escape from it', () => {
    fc.assert(
      fc.property(anyText, anyText, (key, text) => {
        const json = jsonForScript([key, text]);
        expect(json).not.toMatch(/[<\u2028\u2029]/);
        expect(JSON.parse(json)).toEqual([key, text]);
      }),
      RUNS,
    );
  });

  it('survives a template, as text and as attribute', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'own.njk');
    await writeFile(file, '<p title="{{ t }}">{{ t }}</p><i></i>');
    const environment = templateEnvironment({ templates: new Map([['own.njk', file]]) });
    const template = environment.getTemplate('own.njk');
    const plain = new nunjucks.Environment(new nunjucks.FileSystemLoader(folder.path));
    fc.assert(
      fc.property(anyText, (text) => {
        const seen: string[] = [];
        let inside = '';
        const parser = new Parser({
          onopentag: (name, attributes) => {
            seen.push(name, ...Object.keys(attributes));
            if (name === 'p') expect(attributes.title).toBe(text);
          },
          ontext: (part) => {
            inside += part;
          },
        });
        const html = template.render({ t: text });
        expect(html).toBe(plain.render('own.njk', { t: text }));
        parser.end(html);
        expect(seen).toEqual(['p', 'title', 'i']);
        expect(inside).toBe(text);
      }),
      RUNS,
    );
  });
});
