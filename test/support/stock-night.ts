import { resolveConfig } from '../../src/config/load.ts';
import {
  type DealerMemory,
  type DealerStock,
  type LastGood,
  loadStock,
} from '../../src/stock/load.ts';
import type { Vehicle } from '../../src/stock/vehicle.ts';
import { startAnswerServer } from './answer-server.ts';
import { tempFolder } from './temp-folder.ts';

export const KEY = '0123456789abcdef0123456789abcdef';
const NOW = Date.parse('2026-03-10T12:00:00Z');
const DAY = 86_400_000;
/** A time the given number of days from this night. */
export const at = (days: number) => new Date(NOW + days * DAY).toISOString();

export const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `V${from + index}`);
export const records = (vrms: readonly string[]) =>
  vrms.map((vrm) => ({ vrm, dateUpdated: '2026-01-02T03:04:05Z', mediaList: [] }));
export const lastOf = (vrms: readonly string[], more: Partial<LastGood> = {}): LastGood => ({
  confirmed: at(-1),
  vehicles: vrms.map((vrm) => ({ vrm, media: [] as Vehicle['media'] }) as Vehicle),
  withdrawn: [],
  ...more,
});

interface Night {
  /** Responses of the service by dealer. A number is a status. */
  answers: Record<number, unknown>;
  memory?: Partial<DealerMemory>;
  acceptLoss?: string[];
  service?: object;
  signal?: AbortSignal;
  cacheDir?: string;
  maxAge?: string;
  /** Receives the ids of dealers as they are reported. */
  reported?: number[];
}

/** Loads the dealers of a service with these responses. */
export async function load({ answers, memory, service, reported, ...more }: Night) {
  const { url, asked } = await startAnswerServer((request, response) => {
    const id = Number(new URL(request.url ?? '', 'http://x').searchParams.get('dealerId'));
    const answer = answers[id];
    if (typeof answer === 'number') response.writeHead(answer).end();
    else response.end(JSON.stringify(answer));
  });
  const ids = Object.keys(answers).map(Number);
  const loaded = resolveConfig(
    {
      service: { baseUrl: url },
      site: { title: 'Cars', url: 'https://cars.example', withdrawnFor: '30d' },
      dealers: ids.map((id) => ({ id, name: `Dealer ${id}`, slug: `d${id}` })),
    },
    { file: 'test', keysFor: 'dealers', env: { MEDIA_API_KEY: KEY } },
  );
  const config = {
    ...loaded,
    service: { ...loaded.service, retries: 0, maxVehicles: 40, ...service },
  };
  const options = {
    config,
    cacheDir: tempFolder(),
    now: NOW,
    memory: async () => ({ last: undefined, live: undefined, notes: [], ...memory }),
    ...(reported && { onDealer: ({ dealer }: DealerStock) => reported.push(dealer.id) }),
    ...more,
  };
  return {
    loading: loadStock(options),
    again: (cacheDir: string) => loadStock({ ...options, cacheDir }),
    asked,
  };
}

/** The same for one dealer. */
export async function night(options: Omit<Night, 'answers'> & { answer: unknown }) {
  const { loading } = await load({ ...options, answers: { 7: options.answer } });
  const [stock] = await loading;
  if (!stock) throw new Error('no stock');
  return { ...stock, vrms: stock.vehicles.map(({ vrm }) => vrm) };
}
