import type { FeedField, GenericFeed } from '../../config/feed-schema.ts';
import { STATUSES } from '../../stock/vehicle-facts.ts';
import type { Offer } from './offer.ts';
import type { Profile } from './profile.ts';

/** Separates several values of a cell. */
const SEPARATOR = '|';

function fieldOf(field: FeedField, offer: Offer): string | undefined {
  const { facts, images, dealer } = offer;
  switch (field) {
    case 'id':
    case 'plate':
    case 'title':
    case 'url':
    case 'mileageUnit':
      return offer[field];
    case 'image':
      return images[0];
    case 'images':
      return images.join(SEPARATOR);
    case 'dealer':
      return dealer.name;
    case 'priceCurrency':
      return facts.price === undefined ? undefined : offer.currency;
    case 'equipment':
      return facts.equipment?.join(SEPARATOR);
    case 'status':
      return facts.status ?? 'available';
    default:
      return facts[field]?.toString();
  }
}

/** Columns that the configuration names. Without a column for the status, all vehicles are for sale. */
export const genericProfile = ({ columns, format }: GenericFeed): Profile => ({
  ending: format,
  statuses: Object.values(columns).includes('status') ? STATUSES : ['available'],
  columns: Object.entries(columns).map(([name, field]) => ({
    name,
    value: (offer) => fieldOf(field, offer),
  })),
});
