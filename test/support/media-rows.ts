import { expect } from 'vitest';
import type { Later } from './disks.ts';
import type { Fault } from './outcomes.ts';

type Answer = { mediaList: Record<string, unknown>[] }[];

/** Replaces the service's response for dealer 7001 by a changed copy. */
export async function answerWith(
  { service: { baseUrl, mediaKey, faults } }: Later,
  change: (answer: Answer) => unknown[],
): Promise<void> {
  const address = `${baseUrl}/PublicAPI/GetMediaByDealer?dealerId=7001&apiKey=${mediaKey}`;
  const answer = (await (await fetch(address)).json()) as Answer;
  faults.set({ route: 'media', dealerId: 7001, body: JSON.stringify(change(answer)) });
}
const withItems = (later: Later, change: (item: Record<string, unknown>) => object[]) =>
  answerWith(later, (answer) =>
    answer.map((one) => ({ ...one, mediaList: one.mediaList.flatMap(change) })),
  );

/** Nights on which all vehicles are listed, but their media are unusable. */
export const MEDIA_ROWS: Fault[] = [
  ...(
    [
      ['with empty lists of media', () => []],
      ['with mediaUrl renamed', ({ mediaUrl, ...item }) => [{ ...item, url: mediaUrl }]],
      ['without pictures', (item) => (item.type === 'Image' ? [] : [item])],
    ] satisfies [string, (item: Record<string, unknown>) => object[]][]
  ).map(
    ([name, change]): Fault => ({
      name: `the same vehicles ${name}`,
      given: (later) => withItems(later, change),
      states: ['held', 'fresh'],
      attention: ['7001 stock-media-loss'],
      report: ({ dealers, attention }, disk) => {
        expect(dealers[0]?.vehicles).toMatchObject({ received: 10, accepted: 10 });
        if (disk === 'alone') return;
        expect(dealers[0]?.problem?.code).toBe('stock-media-loss');
        expect(attention[0]?.fix).toMatch(/--accept-loss dealer-1@[0-9a-f]{12}$/);
      },
    }),
  ),
  {
    name: 'media of an unknown type beside the others, more than a fifth',
    given: (later) => withItems(later, (item) => [item, { ...item, type: 'Hologram' }]),
    attention: ['7001 stock-media-unusable'],
    report: ({ dealers: [dealer] }) =>
      expect(dealer?.unknownTypes).toEqual({ Hologram: dealer?.items.accepted }),
  },
];
