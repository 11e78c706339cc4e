import { comparablePlate } from '../../stock/plate.ts';

/**
 * Which vehicle each plate leads to, by comparable plate. Of two vehicles whose plates differ only
 * in spaces the newer is found; vehicles without a plate are left out.
 */
function findable(vehicles: readonly { vrm: string; slug: string }[]): Map<string, string> {
  const slugs = new Map<string, string>();
  for (const { vrm, slug } of vehicles) {
    const plate = comparablePlate(vrm);
    if (plate !== '' && !slugs.has(plate)) slugs.set(plate, slug);
  }
  return slugs;
}

/** `DEALER/plates.json`: comparable plate → last part of the address; 0 where it is the plate itself. */
export function platesIndex(vehicles: readonly { vrm: string; slug: string }[]): string {
  const plates = [...findable(vehicles)].map(([plate, slug]): [string, string | 0] => [
    plate,
    plate.toLowerCase() === slug ? 0 : slug,
  ]);
  // fromEntries defines properties, so that a plate named `__proto__` is an ordinary key.
  return `${JSON.stringify({ version: 1, plates: Object.fromEntries(plates) })}\n`;
}
