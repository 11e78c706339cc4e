import { ConfigError, printable } from '../../errors.ts';
import { closest } from '../../lib/closest.ts';

/** A dealer that `--accept-loss` can name. */
interface Dealer {
  id: number;
  slug: string;
}

/** The slug to suggest for a mistyped dealer: by id, or the closest one. */
function findSlug(slugText: string, dealers: readonly Dealer[]): string | undefined {
  const byId = dealers.find(({ id }) => String(id) === slugText);
  return (
    byId?.slug ??
    closest(
      slugText,
      dealers.map(({ slug }) => slug),
    )
  );
}

/**
 * Checks the values of `--accept-loss` before anything is fetched.
 *
 * @throws {ConfigError} a value is malformed or names an unknown dealer.
 */
export function checkAcceptedLosses(
  values: readonly string[],
  { dealers }: { dealers: readonly Dealer[] },
): void {
  for (const value of values) {
    const [, slug, id] = /^([^@]+)@([0-9a-f]{12})$/.exec(value) ?? [];
    if (slug !== undefined && dealers.some((dealer) => dealer.slug === slug)) continue;
    const slugText = value.replace(/@.*/, '');
    const suggestion = findSlug(slugText, dealers);
    const isKnown = dealers.some((dealer) => dealer.slug === slugText);
    throw new ConfigError({
      code: 'argument-accept-loss',
      what: `--accept-loss ${printable(value)} accepts no loss.`,
      why: isKnown
        ? 'After the dealer, it needs "@" and the 12 characters that the build printed.'
        : `The configuration has no dealer with the slug "${printable(slugText)}".`,
      fix: `Copy the whole value from the summary or the report of the build that held the loss.${
        !isKnown && suggestion !== undefined
          ? ` Did you mean --accept-loss ${suggestion}@${id ?? '…'}?`
          : ''
      }`,
    });
  }
}
