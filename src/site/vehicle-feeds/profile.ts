import type { VehicleStatus } from '../../stock/vehicle-facts.ts';
import type { Offer } from './offer.ts';

/** A column of a feed, by the documentation of the platform. */
export interface Column {
  name: string;
  /** Empty or undefined: the vehicle does not have it. */
  value: (offer: Offer) => string | undefined;
  /** Whether vehicles without a value are left out. */
  required?: boolean;
  /** Longest value, in characters. */
  most?: number;
}

/** A column without which a vehicle is left out. */
export const required = (name: string, value: Column['value'], most?: number): Column => ({
  name,
  value,
  required: true,
  most,
});

/** The rules of a platform. */
export interface Profile {
  ending: 'csv' | 'tsv' | 'xml';
  columns: readonly Column[];
  /** Status of the vehicles that are listed. Others are not for sale. */
  statuses: readonly VehicleStatus[];
}

/** `12995.50 GBP`, or undefined without a price. */
export const priceText = ({ facts: { price }, currency }: Offer): string | undefined =>
  price ? `${price.toFixed(2)} ${currency}` : undefined;

/** 17 characters without I, O and Q (ISO 3779). */
export const vinOf = ({ facts: { vin = '' } }: Offer): string | undefined =>
  /^[A-HJ-NPR-Z0-9]{17}$/.test(vin) ? vin : undefined;

export const mileageOf = ({ facts: { mileage } }: Offer): string | undefined =>
  mileage === undefined ? undefined : String(Math.round(mileage));
