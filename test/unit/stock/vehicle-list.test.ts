import { describe, expect, it } from 'vitest';
import type { Vehicle } from '../../../src/stock/vehicle.ts';
import { VehicleList } from '../../../src/stock/vehicle-list.ts';

const vehicle = (vrm: string): Vehicle => ({
  dealerId: 1,
  vrm,
  slug: vrm.toLowerCase(),
  dateUpdated: '2026-03-01T00:00:00Z',
  media: [
    { kind: 'image', id: 1, label: '', source: 'aaaaaaaaaaa', url: 'https://pictures.example/1' },
    { kind: 'video', id: 2, label: '', playerUrl: 'https://videos.example/2' },
    { kind: 'image', id: 3, label: '', source: 'ccccccccccc', url: 'https://pictures.example/3' },
  ],
});

describe('vehicles of a dealer', () => {
  it('are counted, and listed in their order', () => {
    const vehicles = [vehicle('B'), vehicle('A')];
    const list = new VehicleList(vehicles);
    expect([...list]).toEqual(vehicles);
    expect(list).toMatchObject({ length: 2, vrms: ['B', 'A'], media: { image: 4, video: 2 } });
  });
});
