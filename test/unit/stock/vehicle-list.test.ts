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
  it('are held until somebody lets go of them, then read again each time', () => {
    let reads = 0;
    const list = new VehicleList([vehicle('A'), vehicle('B')], () => {
      reads++;
      return [vehicle('A'), vehicle('B')];
    });
    const before = [...list];
    expect(reads).toBe(0);
    list.release();
    expect([...list]).toEqual(before);
    expect([...list]).toEqual(before);
    expect(reads).toBe(2);
    expect(list).toMatchObject({ length: 2, vrms: ['A', 'B'], media: { image: 4, video: 2 } });
  });

  it('stay where they cannot be read again', () => {
    const list = new VehicleList([vehicle('A')]);
    list.release();
    expect([...list]).toHaveLength(1);
  });
});
