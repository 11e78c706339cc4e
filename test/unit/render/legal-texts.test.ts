import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { legalText } from '../../../src/render/legal-text.ts';
import { readLegalTexts } from '../../../src/render/legal-texts.ts';
import { offlineConfig } from '../../support/offline-config.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { atOnce } from '../../support/theme.ts';

describe('a text of site.legal', () => {
  it('starts with the heading of the page, and its subheadings skip no level', () => {
    const { title, html } = legalText(
      '# *Impressum* & Co\n\nText\n\n### Name\n\n##### Deep\n\n### Next\n\n# Last\n',
    );
    expect(title).toBe('Impressum & Co');
    expect(html.match(/<h\d>[^<]*/g)).toEqual(['<h2>Name', '<h3>Deep', '<h2>Next', '<h2>Last']);
    expect(legalText('Text alone').title).toBeUndefined();
  });

  it('becomes markup that the policy of pages allows, for any input', () => {
    const { html } = legalText(`<script>x</script><img src=x onerror=x>

[a](javascript:x) [b](data:text/html,x) [c](vbscript:x) [d](JAVASCRIPT&colon;x) ![e](https://e.example/p.png)

| a | b |
| :-- | --: |
| 1 | 2 |
`);
    expect(html).not.toMatch(/<(?:script|img)|style=|href="(?!https:)/i);
    expect(html).toContain('<td>2</td>');
  });

  it('has links to pages, mail addresses and phone numbers, also for plain text', () => {
    const { html } = legalText(
      '[p](/privacy/) [t](tel:+441632960001) [m](mailto:a@b.example)\n\nhttps://c.example info@example.com e.example',
    );
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      '/privacy/',
      'tel:+441632960001',
      'mailto:a@b.example',
      'https://c.example',
      'mailto:info@example.com',
    ]);
  });
});

const configOf = (legal: object, folder: string, slug = 'north') =>
  offlineConfig(
    { site: { legal }, dealers: [{ id: 1, name: 'North', slug }] },
    { file: path.join(folder, 'site.config.ts') },
  );

describe('the files of site.legal', () => {
  it('are read beside the configuration, and each unusable file is reported', async () => {
    const folder = tempFolder();
    await mkdir(path.join(folder, 'legal'));
    for (const [name, text] of Object.entries({
      'good.md': '\uFEFF# Imprint\n\nNorth Ltd',
      'empty.md': ' \n\n',
      'title.md': '# Imprint\n',
      'other.md': Buffer.from([0x4d, 0xfc, 0x6c]),
    })) {
      await writeFile(path.join(folder, 'legal', name), text);
    }
    const read = (file: string) => readLegalTexts(configOf({ imprint: file }, folder), atOnce);
    expect(await read('legal/good.md')).toEqual({
      imprint: { title: 'Imprint', html: '<p>North Ltd</p>' },
    });
    for (const [file, code] of [
      ['legal/none.md', 'legal-file-unusable'],
      ['legal/empty.md', 'legal-file-unusable'],
      ['legal/title.md', 'legal-file-unusable'],
      ['legal/other.md', 'file-encoding'],
    ] as const) {
      await expect(read(file), file).rejects.toMatchObject({ code });
    }
    const why = `${path.join(folder, 'legal/none.md')} does not exist.`;
    await expect(read('legal/none.md')).rejects.toMatchObject({ why });
  });

  it('use a URL of a dealer only if they exist', () => {
    expect(() => configOf({ privacy: 'p.md' }, '/', 'privacy')).toThrow('site.legal.privacy');
    expect(configOf({ imprint: 'i.md' }, '/', 'privacy').dealers).toHaveLength(1);
    expect(() => configOf({ imprint: 'i.docx' }, '/')).toThrow('ends in .md');
  });
});
