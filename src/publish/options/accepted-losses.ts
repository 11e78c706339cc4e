import { ConfigError, printable } from '../../errors.ts';
import { didYouMean } from '../../lib/closest.ts';

/**
 * Checks the values of `--accept-loss` before anything is fetched.
 *
 * @throws {ConfigError} a value is malformed or names an unknown dealer.
 */
export function checkAcceptedLosses(
  values: readonly string[],
  { dealers }: { dealers: readonly { slug: string }[] },
): void {
  const slugs = dealers.map(({ slug }) => slug);
  for (const value of values) {
    const slug = value.replace(/@.*/, '');
    const isKnown = slugs.includes(slug);
    if (isKnown && /^@[0-9a-f]{12}$/.test(value.slice(slug.length))) continue;
    throw new ConfigError({
      code: 'argument-accept-loss',
      what: `--accept-loss ${printable(value)} accepts no loss.`,
      why: isKnown
        ? 'After the dealer, it needs "@" and the 12 characters that the build printed.'
        : `The configuration has no dealer with the slug "${printable(slug)}".${didYouMean(slug, slugs)}`,
      fix: 'Copy the whole value from the summary or the report of the build that held the loss.',
    });
  }
}
