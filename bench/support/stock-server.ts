/**
 * The media service with a large stock, in a separate process to exclude its CPU time: only
 * `GetMediaByDealer` for dealers of equal size with 20 pictures per vehicle. Changed vehicles have a newer
 * `dateUpdated`, and their pictures after the first are in another order.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface StockShape {
  dealers: number;
  vehiclesEach: number;
  /** Pictures of each vehicle. */
  pictures: number;
}

export interface StockServer {
  baseUrl: string;
  /** From now on, one vehicle in this many is changed as in this night. 0 restores the initial stock. */
  night(number: number, oneIn: number): Promise<void>;
  close(): void;
}

/** Starts the server in a child process. */
export async function startStockServer(shape: StockShape): Promise<StockServer> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(shape)], { stdio: 'inherit' });
  const answer = async () => (await once(child, 'message'))[0] as number;
  const baseUrl = `http://127.0.0.1:${await answer()}`;
  return {
    baseUrl,
    async night(number, oneIn) {
      child.send({ number, oneIn });
      await answer();
    },
    close: () => child.kill(),
  };
}

/** Number plates in the British format, which are written with a space. */
export function plateOf(number: number): string {
  const letter = (n: number) => String.fromCharCode(65 + (n % 26));
  const age = 51 + (number % 25);
  const rest = Math.floor(number / 25);
  return `${letter(rest)}${letter(rest / 26)}${age}${letter(rest / 676)}${letter(rest / 17576)}X`;
}

export const START = Date.UTC(2026, 2, 2);

function record(
  { vehiclesEach, pictures }: StockShape,
  dealer: number,
  index: number,
  updates: number,
  baseUrl: string,
) {
  const number = dealer * vehiclesEach + index;
  const items = Array.from({ length: pictures }, (_, picture) => ({
    id: number * pictures + picture + 1,
    type: 'Image',
    label: `Image ${picture + 1}`,
    mediaUrl: `${baseUrl}/photos/${number}/${picture}.jpg`,
  }));
  // Another order changes the page without a new thumbnail. Another cover would need one.
  const [cover, ...others] = items;
  const turned = updates % Math.max(1, pictures - 1);
  return {
    vrm: plateOf(number),
    dateUpdated: `${new Date(START + number * 1000 + updates * 86_400_000).toISOString().slice(0, 19)}Z`,
    mediaList: [cover, ...others.slice(turned), ...others.slice(0, turned)],
  };
}

function serve(shape: StockShape): void {
  let night = 0;
  let oneIn = 1;
  // Prepared once a night, so its duration does not affect requests.
  const answers = new Map<number, string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname !== '/PublicAPI/GetMediaByDealer') {
      // Pictures are only revalidated and never changed.
      response.writeHead(request.headers['if-none-match'] ? 304 : 404).end();
      return;
    }
    const dealer = Number(url.searchParams.get('dealerId')) - 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end(answers.get(dealer));
  });
  const makeAnswers = () => {
    const { port } = server.address() as AddressInfo;
    for (let dealer = 0; dealer < shape.dealers; dealer++) {
      const records = Array.from({ length: shape.vehiclesEach }, (_, index) =>
        record(
          shape,
          dealer,
          index,
          (dealer * shape.vehiclesEach + index) % oneIn === 0 ? night : 0,
          `http://127.0.0.1:${port}`,
        ),
      );
      answers.set(dealer, JSON.stringify(records));
    }
  };
  server.listen(0, '127.0.0.1', () => {
    makeAnswers();
    process.send?.((server.address() as AddressInfo).port);
  });
  process.on('message', (order: { number: number; oneIn: number }) => {
    night = order.number;
    oneIn = order.oneIn;
    makeAnswers();
    process.send?.(0);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  serve(JSON.parse(process.argv[2] ?? '{}'));
}
