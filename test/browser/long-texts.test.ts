import { expect, it } from 'vitest';
import { forAllTests } from '../support/for-all-tests.ts';
import { boxOf, phoneOf, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';
import { openSite, pictures, vehicle } from '../support/site.ts';

/** As some dealers fill in a model: with the equipment. */
const MODEL = `C 220 d T AMG Line Night ${'Distronic Burmester Panorama Keyless '.repeat(6)}`;
const LABEL = `Complete walkaround of the outside and the inside ${'with all equipment '.repeat(6)}`;

const browser = await sharedBrowser();
const { server } = await forAllTests(
  openSite({
    files: {
      'stock.csv': `plate,make,model,price,year,mileage,status\nHU22DRD,Mercedes,${MODEL},8000,2020,20000,reserved\n`,
    },
    dealers: [
      {
        id: 7100,
        name: 'Eastgate',
        slug: 'eastgate',
        contact: { phone: '+44 1632 960001', whatsapp: '+44 7700 900123', email: 'a@cars.example' },
        stock: { file: 'stock.csv', currency: 'EUR' },
        vehicles: [
          vehicle('HU22DRD', pictures(1200, 3)),
          vehicle('VI22DEO', [
            { id: 1300, type: 'Video', label: LABEL, mediaUrl: '{base_url}/player/1300' },
          ]),
        ],
      },
    ],
  }),
);

it('the panel that stays in view fits into a low window, with the longest name', async () => {
  await using page = await visit(browser, `${server.url}eastgate/hu22drd/`, {
    viewport: { width: 1280, height: 608 },
  });
  const { height } = await boxOf(page, '.about');
  expect(height).toBeLessThan(608 - 24);
});

it('the play button and a long name of a video are not cut off on a small phone', async () => {
  await using page = await visit(browser, `${server.url}eastgate/vi22deo/`, phoneOf(320, 640));
  const frame = await boxOf(page, '.frame');
  for (const part of ['.cta svg', '.cta span']) {
    const { y, height } = await boxOf(page, part);
    expect(y, part).toBeGreaterThan(frame.y);
    expect(y + height, part).toBeLessThan(frame.y + frame.height);
  }
});
