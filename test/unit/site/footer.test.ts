import { describe, expect, it } from 'vitest';
import { textsFor } from '../../../src/site/i18n/text.ts';
import { footerOf } from '../../../src/site/views/footer.ts';

const shared = { timeZone: 'Europe/London', legal: [], navigation: [] };
const english = { ...shared, texts: textsFor('en-GB', 'Europe/London') };
const german = { ...shared, texts: textsFor('de-DE', 'Europe/Berlin') };

const place = {
  name: 'Northgate',
  address: { street: '1 Harbour Way', city: 'Northgate', postalCode: 'ZZ1 1AA', country: 'GB' },
  openingHours: {
    week: ['Mo-Fr 08:30-18:00', 'Su 10:00-12:00,13:00-16:00'],
    exceptions: { '2026-12-25': 'closed', '2026-12-24': '09:00-12:00' },
  },
};

describe('the footer of a page', () => {
  it('formats the address for its country', () => {
    expect(footerOf(place, english).address).toEqual(['1 Harbour Way', 'Northgate, ZZ1 1AA']);
    const address = { street: 'Hafenweg 1', city: 'Emden', postalCode: '26721', country: 'DE' };
    expect(footerOf({ name: 'N', address }, german).address).toEqual(['Hafenweg 1', '26721 Emden']);
  });

  it('calls the number that callers dial', () => {
    for (const phone of ['+44 (0)1632 960001', '+44 1632 960001']) {
      expect(footerOf({ name: 'N', contact: { phone } }, english).contacts).toMatchObject([
        { text: `Call ${phone}`, href: 'tel:+441632960001' },
      ]);
    }
  });

  it('groups opening hours by days, then lists exceptions', () => {
    expect(footerOf(place, english).hours).toEqual([
      { days: 'Monday – Friday', times: '8:30 – 18:00', date: '' },
      { days: 'Saturday', times: 'Closed', date: '' },
      { days: 'Sunday', times: '10:00 – 12:00, 13:00 – 16:00', date: '' },
      { days: 'Thu 24 December', times: '9:00 – 12:00', date: '2026-12-24' },
      { days: 'Fri 25 December', times: 'Closed', date: '2026-12-25' },
    ]);
    const french = { ...shared, texts: textsFor('fr-FR', 'Europe/Paris') };
    const [week, , , exception] = footerOf(place, french).hours;
    expect([week?.days, exception?.days]).toEqual(['Lundi – vendredi', 'Jeu. 24 décembre']);
  });

  it('uses the time zone of the dealer', () => {
    const data = (more: object) => JSON.parse(footerOf({ ...place, ...more }, english).now);
    expect(data({}).zone).toBe('Europe/London');
    const open = [[510, 1080]];
    const sunday = [
      [600, 720],
      [780, 960],
    ];
    expect(data({ timeZone: 'Europe/Dublin' })).toMatchObject({
      zone: 'Europe/Dublin',
      week: [open, open, open, open, open, [], sunday],
      days: { '2026-12-24': [[540, 720]], '2026-12-25': [] },
    });
  });

  it('links to a map by coordinates, otherwise by the address', () => {
    const coordinates = { latitude: 53.1, longitude: -1.5 };
    expect(footerOf({ ...place, coordinates }, english).map).toContain('query=53.1%2C-1.5');
    expect(footerOf(place, english).map).toContain('query=Northgate%2C%201%20Harbour%20Way');
    expect(footerOf({ name: 'N' }, english).map).toBe('');
  });

  it('names the company if it differs, and links to the legally required pages', () => {
    const legal = { imprint: 'https://n.example/imprint', privacy: 'https://n.example/privacy' };
    const view = footerOf({ name: 'N', legalName: 'N Ltd', ...legal }, german);
    expect(view.legalName).toBe('N Ltd');
    expect(view.legal).toEqual([
      { url: legal.imprint, text: 'Impressum' },
      { url: legal.privacy, text: 'Datenschutz' },
    ]);
    expect(footerOf({ name: 'N', legalName: 'N' }, german).legalName).toBe('');
  });
});
