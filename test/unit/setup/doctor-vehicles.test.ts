import { expect, it } from 'vitest';
import { checkControl } from '../../../src/setup/doctor/vehicles.ts';
import type { Finding } from '../../../src/setup/findings.ts';
import { parseControl } from '../../../src/stock/control.ts';
import type { Vehicle } from '../../../src/stock/vehicle.ts';

const vehicles = ['AB12 CDE', 'EF56 GHJ'].map((vrm) => ({ vrm, media: [] as Vehicle['media'] }));
const dealers = [{ id: 7 }];
function check(text: string, answered = [7]) {
  const stock = { vehicles: vehicles as Vehicle[], answered: new Set(answered) };
  const checked = checkControl({ dealers }, parseControl(text, 'vehicles.csv'), stock);
  const findings: Finding[] = [];
  for (;;) {
    const { done, value } = checked.next();
    if (done) return { findings, vehicles: value };
    findings.push(value);
  }
}

it('the doctor predicts hidden vehicles and lists lines without a match', () => {
  const { findings, vehicles: shown } = check('plate,hide,first\nAB12CDE,yes,\nEF56GHK,yes,');
  expect(shown.map(({ vrm }) => vrm)).toEqual(['EF56 GHJ']);
  expect(findings.map(({ code, what }) => [code, what])).toEqual([
    ['vehicles-decided', 'vehicles.csv: 2 lines, 1 vehicle hidden.'],
    [
      'vehicles-unmatched',
      'vehicles.csv: no vehicle has the plate EF56GHK (line 3; did you mean EF56GHJ?).',
    ],
  ]);
});

it('lines without a match are only reported if each dealer responded', () => {
  const { findings } = check('plate,hide\nEF56GHK,yes', []);
  expect(findings.map(({ code }) => code)).toEqual(['vehicles-decided']);
});
