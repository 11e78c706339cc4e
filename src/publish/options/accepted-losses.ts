import { ConfigError, printable } from '../../errors.ts';
import { closest } from '../../lib/closest.ts';

/** A dealer as `--accept-loss` can mean it. */
interface Dealer {
  id: number;
  slug: string;
}

/** The slug that a mistyped dealer means: by its id, or the nearest one. */
function meantSlug(given: string, dealers: readonly Dealer[]): string | undefined {
  const byId = dealers.find(({ id }) => String(id) === given);
  return (
    byId?.slug ??
    closest(
      given,
      dealers.map(({ slug }) => slug),
    )
  );
}

/**
 * Checks the values of `--accept-loss` before anything is fetched.
 *
 * @throws {ConfigError} a value is malformed, or names an unknown dealer.
 */
export function checkAcceptedLosses(
  values: readonly string[],
  { dealers }: { dealers: readonly Dealer[] },
): void {
  for (const value of values) {
    const [, slug, id] = /^([^@]+)@([0-9a-f]{12})$/.exec(value) ?? [];
    if (slug !== undefined && dealers.some((dealer) => dealer.slug === slug)) continue;
    const given = value.replace(/@.*/, '');
    const meant = meantSlug(given, dealers);
    const isKnown = dealers.some((dealer) => dealer.slug === given);
    throw new ConfigError({
      code: 'argument-accept-loss',
      what: `--accept-loss ${printable(value)} accepts no loss.`,
      why: isKnown
        ? 'After the dealer, it needs "@" and the 12 characters that the build printed.'
        : `The configuration has no dealer with the slug "${printable(given)}".`,
      fix: `Copy the whole value from the summary or the report of the build that held the loss.${
        !isKnown && meant !== undefined ? ` Did you mean --accept-loss ${meant}@${id ?? '…'}?` : ''
      }`,
    });
  }
}
