import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { UserConfig } from '../../src/config/schema.ts';
import type { MediaItem, VehicleMediaRecord } from '../../src/contract/media.ts';
import { type StaticServer, startStaticServer } from '../../src/lib/static-server/server.ts';
import { hostedCode } from '../../src/sample-service/data/addresses.ts';
import type { SampleData } from '../../src/sample-service/data/types.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { type Build, build, configFor, temporaryFolder } from './build.ts';
import { startService } from './service.ts';

/** A plate that is an attack on every place it lands in. */
export const HOSTILE_PLATE = `</script><b>"'&`;

/** Vehicles of the showroom, by what is special about them. */
export const PLATES = {
  /** Hosted video, five pictures, player video: in this order. */
  mixed: 'AB12CDE',
  thirty: 'CD34EFG',
  empty: 'EF56GHJ',
  onlyVideo: 'GH78JKL',
  hostile: HOSTILE_PLATE,
} as const;

/** Listed on the first night alone. */
const WITHDRAWN = 'ZZ99OLD';

const DATE = '2026-03-01T10:00:00Z';

const pictures = (from: number, count: number): MediaItem[] =>
  Array.from({ length: count }, (_, index) => ({
    id: from + index,
    type: 'Image',
    label: `Image ${index + 1}`,
    mediaUrl: `{base_url}/pictures/${from + index}.jpg`,
  }));

const playerVideo = (id: number, label: string): MediaItem => ({
  id,
  type: 'Video',
  label,
  mediaUrl: `{base_url}/player/${id}`,
});

const hostedVideo = (id: number, label: string): MediaItem => ({
  ...playerVideo(id, label),
  hostedVideoUrl: `{base_url}/hosted/embed/${hostedCode(id)}`,
});

const vehicle = (vrm: string, mediaList: MediaItem[], dateUpdated = DATE): VehicleMediaRecord => ({
  vrm,
  dateUpdated,
  mediaList,
});

function showroomData(): SampleData {
  const northgate = [
    vehicle(PLATES.mixed, [
      hostedVideo(1001, 'Walkaround'),
      ...pictures(1100, 5),
      playerVideo(1002, 'Interior'),
    ]),
    vehicle(PLATES.thirty, pictures(1200, 30), '2026-02-28T10:00:00Z'),
    vehicle(PLATES.empty, [], '2026-02-27T10:00:00Z'),
    vehicle(PLATES.onlyVideo, [hostedVideo(1301, 'Tour')], '2026-02-26T10:00:00Z'),
    vehicle(PLATES.hostile, pictures(1400, 1), '2026-02-25T10:00:00Z'),
    vehicle(WITHDRAWN, [], '2026-01-05T10:00:00Z'),
    ...Array.from({ length: 16 }, (_, index) =>
      vehicle(`KL${10 + index}MNP`, [], `2026-01-${10 + index}T10:00:00Z`),
    ),
  ];
  const ids = northgate.flatMap(({ mediaList }) => mediaList.map(({ id }) => id));
  return {
    dealers: [
      { id: 7001, name: 'Northgate Cars', vehicles: northgate },
      { id: 7002, name: 'Riverside Motors', vehicles: [vehicle('RS51TUV', pictures(2100, 2))] },
    ],
    accounts: [],
    pictures: Object.fromEntries(
      [...ids, 2100, 2101].map((id) => [id, { width: 400, height: 300 }]),
    ),
  };
}

/** What is hard to set: a wide table, headings of every level, and a long word. */
const PRIVACY = `# Privacy

## What becomes of visits

| What | How long |
| :--- | -------: |
| Address of the device | 7 days |

#### Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenversicherung

1. One [page](/imprint/)
2. Two https://cars.example/
`;

const STOCK = `Reg;Make;Model;Year;Price;Mileage;Body
ab12 cde;Albion;Wren;2021;"£14,995";21000;Estate
ZZ99ZZZ;Halden;Fell;2019;9995;40000
CD34EFG;Corvane;Lyra;20x1;ask us;
KL10MNP;Škoda;Fabia;2015;4995;80000
KL11MNP;SKODA;Octavia;2016;6995;70000
KL12MNP;Škoda;Superb;2017;8995;60000
`;

export interface Showroom extends AsyncDisposable {
  service: SampleService;
  server: StaticServer;
  result: Build;
  folder: string;
}

/**
 * A small site with every kind of page, built by the production path and served.
 *
 * @param lasting folder for it that somebody else removes.
 */
export async function openShowroom(
  change: Partial<UserConfig['site']> = {},
  media: UserConfig['media'] = {},
  lasting?: string,
): Promise<Showroom> {
  const folder = lasting === undefined ? await temporaryFolder() : undefined;
  const at = (...names: string[]) => path.join(folder?.path ?? lasting ?? '', ...names);
  const service = await startService({ data: showroomData() });
  const output = at('site');
  const server = await startStaticServer({ folder: output, port: 0 });
  await writeFile(at('stock.csv'), STOCK);
  await writeFile(at('imprint.md'), 'Sample Motor Group Ltd\n');
  await writeFile(at('privacy.md'), PRIVACY);
  const config = configFor(service, {
    site: {
      title: 'Sample Motor Group',
      url: server.url.replace(/\/$/, ''),
      timeZone: 'Europe/London',
      perPage: 6,
      sticker: true,
      legal: { imprint: at('imprint.md'), privacy: at('privacy.md') },
      ...change,
    },
    dealers: [
      {
        id: 7001,
        name: 'Northgate Cars',
        slug: 'northgate',
        colour: '#f2c200',
        website: 'https://northgate.example/',
        contact: {
          phone: '+44 1632 960001',
          whatsapp: '+447700900001',
          email: 'sales@northgate.example',
        },
        stock: {
          file: at('stock.csv'),
          columns: { plate: 'Reg' },
          locale: 'en-GB',
        },
      },
      { id: 7002, name: 'Riverside Motors', slug: 'riverside' },
    ],
    media: { widths: [160, 320], ...media },
  });
  const first = await build(config, at());
  if (first.error) throw first.error;
  const [dealer] = service.data.dealers;
  if (dealer) dealer.vehicles = dealer.vehicles.filter(({ vrm }) => vrm !== WITHDRAWN);
  const result = await build(config, at());
  if (result.error) throw result.error;
  return {
    service,
    server,
    result,
    folder: output,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await service.close();
      await folder?.[Symbol.asyncDispose]();
    },
  };
}
