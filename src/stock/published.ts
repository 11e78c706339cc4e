/** What the published site lists of a dealer, as far as it could be asked. */
export type PublishedVehicles =
  /** The dealer has pages there; `why`: nobody can say which vehicles they list. */
  | { state: 'live'; vrms: readonly string[]; why?: string }
  /** Neither the dealer's page nor, perhaps, the site exists. */
  | { state: 'absent' }
  | { state: 'unknown'; why: string };
