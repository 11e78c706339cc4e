import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/build.ts';
import { startDev } from '../support/dev.ts';
import { startService } from '../support/service.ts';
import { writeFilesBelow } from '../support/theme.ts';

const PAGE = `---
title: About us
permalink: /about/
---
{% extends "layouts/base.njk" %}
{% block content %}<h1>{{ page_.heading }}</h1><p>{{ hours.text }}</p>{% endblock %}
`;
const hours = (text: string) => ({ 'pages/_data/hours.json': JSON.stringify({ text }) });

it('shows changes of a custom page, of its data and of the configuration, and their mistakes', async () => {
  await using folder = await temporaryFolder();
  const service = await startService({ dealers: 1, vehicles: 2, images: 1 });
  let dev: Awaited<ReturnType<typeof startDev>> | undefined;
  try {
    const config = (site: object) =>
      `export default ${JSON.stringify({
        service: { baseUrl: service.baseUrl },
        site: { url: 'https://cars.example', ...site },
        dealers: service.data.dealers.map(({ id, name }) => ({ id, name, slug: 'one' })),
        media: { widths: [160] },
      })};`;
    const write = (files: Record<string, string>) => writeFilesBelow(folder.path, files);
    await write({
      'site.config.js': config({ title: 'First Cars' }),
      'pages/about.njk': PAGE,
      ...hours('nine to five'),
    });
    dev = await startDev(path.join(folder.path, 'site.config.js'), service.mediaKey);
    const { origin, printed } = dev;
    const text = async (page: string) => (await fetch(`${origin}${page}`)).text();
    const shows = (page: string) => expect.poll(() => text(page), { timeout: 15_000 });

    await shows('/about/').toContain('<p>nine to five</p>');
    await write(hours('ten to four'));
    await shows('/about/').toContain('<p>ten to four</p>');

    await write({ 'pages/about.njk': PAGE.replace('About us', 'Who we are') });
    await shows('/about/').toContain('<h1>Who we are</h1>');
    await write({ 'pages/about.njk': PAGE.replace('/about/', '/one/about/') });
    await shows('/about/').toContain('below /one/ belong');
    await write({ 'pages/about.njk': PAGE.replace('hours.text', 'hours.nothing') });
    await shows('/about/').toContain('about.njk');
    await write({ 'pages/about.njk': PAGE, 'pages/_data/hours.json': '{"text":' });
    await shows('/about/').toContain('hours.json');
    await write(hours('always'));
    await shows('/about/').toContain('<p>always</p>');

    await write({ 'site.config.js': config({ title: 'Second Cars' }) });
    await shows('/').toContain(' – Second Cars</title>');
    await write({ 'site.config.js': config({ title: 7 }) });
    await shows('/').toContain('site.title');
    // The mistake stays in sight whatever else is saved.
    await write(hours('never'));
    await shows('/').toContain('site.title');
    await write({
      'site.config.js': config({ title: 'Third Cars', url: 'https://cars.example/cars' }),
    });
    await shows('/cars/about/').toContain('<p>never</p>');
    await shows('/cars/').toContain(' – Third Cars</title>');
    expect(printed()).toContain('The configuration changed');
  } finally {
    await dev?.close();
    await service.close();
  }
});
