import { hash } from 'node:crypto';
import { CARD_VERSION, type CardPicture, type SocialCard } from '../../images/card/card.ts';
import { CARD_SIZE, LIBRARY_VERSION } from '../../images/recipes.ts';
import { groundOf } from './colours.ts';
import type { DealerContext, SiteContext } from './context.ts';
import type { LogoView, PageView } from './view.ts';

/** Colour of buttons and links without a setting. The same as in tokens.css. */
export const DEFAULT_COLOUR = '#0b57d0';

/** The file of a card, and its data on pages. */
export interface CardFile {
  planned: { file: string; key: string; content: () => SocialCard };
  share: NonNullable<PageView['share']>;
}

/** The content of a card, and its dealer. */
interface CardInput extends Pick<SocialCard, 'title' | 'detail' | 'seller'> {
  picture: CardPicture | undefined;
  colour: string | undefined;
  logo: LogoView | undefined;
  alt: string;
}

/**
 * The card of a page. Its key and its URL depend only on its content. So builds draw it again, and other services
 * fetch it again, only if the content changes.
 *
 * @param path of the file, without its extension.
 */
export function cardFile(
  path: string,
  { alt, colour, logo, picture, ...texts }: CardInput,
  { place, assets }: Pick<SiteContext, 'place' | 'assets'>,
): CardFile {
  const { ground, on } = groundOf(colour ?? assets.colour);
  const input = [CARD_VERSION, LIBRARY_VERSION, texts, picture?.name, ground, logo?.src];
  const key = hash('sha256', JSON.stringify(input), 'base64url').slice(0, 22);
  const file = `${place.folder}${path}.jpg`;
  const image = `${place.origin}${place.base}${path}.jpg?v=${key.slice(0, 10)}`;
  const content = () => ({
    ...texts,
    picture,
    ground,
    on,
    logo: logo && { bytes: assets.bytesOf(logo), ground: logo.ground },
  });
  return { planned: { file, key, content }, share: { image, ...CARD_SIZE, alt } };
}

/**
 * The cards of a dealer's list, and of the front page if this dealer has the newest vehicle. Site-wide files are
 * made in every build, but these only if they change.
 */
export function dealerCards(
  picture: CardPicture | undefined,
  context: DealerContext,
): Record<'list' | 'front', CardFile> {
  const { assets, dealer, title } = context;
  const { address, colour, name, slug } = dealer;
  const ofDealer = { title: name, detail: address?.city ?? '', logo: assets.logo(dealer), colour };
  const ofSite = { title, detail: '', logo: assets.logo(), colour: assets.colour };
  return {
    list: cardFile(`/${slug}/card`, { ...ofDealer, picture, seller: '', alt: name }, context),
    front: cardFile(`/${slug}/front`, { ...ofSite, picture, seller: '', alt: title }, context),
  };
}
