import type { UserConfig } from '../../src/config/schema.ts';
import type { MediaItem } from '../../src/contract/media.ts';
import { hostedCode } from '../../src/sample-service/data/store.ts';
import type { Build } from './build.ts';
import { openSite, pictures, type Site, vehicle } from './site.ts';

/** A plate that is an attack in every context. */
const HOSTILE_PLATE = `</script><b>"'&`;

/** Vehicles of the showroom by their characteristics. */
export const PLATES = {
  /** Hosted video, five pictures, player video, in this order. */
  mixed: 'AB12CDE',
  thirty: 'CD34EFG',
  empty: 'EF56GHJ',
  onlyVideo: 'GH78JKL',
  hostile: HOSTILE_PLATE,
} as const;

/** Only listed on the first night. */
const WITHDRAWN = 'ZZ99OLD';

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

const northgate = () => [
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
/** Content that is hard to lay out: a wide table, headings of every level, and a long word. */
const PRIVACY = `# Privacy

## What becomes of visits

| What | How long |
| :--- | -------: |
| Address of the device | 7 days |

#### Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenversicherung

1. One [page](/imprint/)
2. Two https://cars.example/
`;

const STOCK = `Reg;Make;Model;Year;Price;Mileage;Body;Bay
ab12 cde;Albion;Wren;2021;"£14,995";21000;Estate;1
ZZ99ZZZ;Halden;Fell;2019;9995;40000;;2
CD34EFG;Corvane;Lyra;20x1;ask us;;;3
KL10MNP;Škoda;Fabia;2015;4995;80000;;4
KL11MNP;SKODA;Octavia;2016;6995;70000;;5
KL12MNP;Škoda;Superb;2017;8995;60000;;6
`;

export interface Showroom extends Site {
  result: Build;
}

/**
 * A small site with every kind of page.
 *
 * @param lasting its folder, removed by the caller.
 */
export async function openShowroom(
  change: Partial<UserConfig['site']> = {},
  media: UserConfig['media'] = {},
  lasting?: string,
): Promise<Showroom> {
  const vehicles = northgate();
  const ids = vehicles.flatMap(({ mediaList }) => mediaList.map(({ id }) => id));
  const size = { width: 400, height: 300, orientation: 1 };
  const portrait = { width: 300, height: 400, orientation: 1 };
  const site = await openSite({
    files: { 'stock.csv': STOCK, 'imprint.md': 'Sample Motor Group Ltd\n', 'privacy.md': PRIVACY },
    sizes: {
      ...Object.fromEntries([...ids, 2101, 2102].map((id) => [id, size])),
      1103: portrait,
      2100: portrait,
    },
    site: {
      title: 'Sample Motor Group',
      perPage: 6,
      sticker: true,
      favourites: true,
      legal: { imprint: 'imprint.md', privacy: 'privacy.md' },
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
        stock: { file: 'stock.csv', columns: { plate: 'Reg' }, locale: 'en-GB' },
        vehicles,
      },
      {
        id: 7002,
        name: 'Riverside Motors',
        slug: 'riverside',
        vehicles: [vehicle('RS51TUV', pictures(2100, 3))],
      },
    ],
    media,
    lasting,
  });
  const [dealer] = site.service.data.dealers;
  if (dealer) dealer.vehicles = dealer.vehicles.filter(({ vrm }) => vrm !== WITHDRAWN);
  return { ...site, result: await site.night() };
}
