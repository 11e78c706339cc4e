/** What the published site lists of a dealer, as far as it could be read. */
export type PublishedVehicles =
  /** The dealer has pages there; `why`: the reason why their vehicles are not known. */
  | { state: 'live'; vrms: readonly string[]; why?: string }
  /** The dealer has no page there; there may be no site at all. */
  | { state: 'absent' }
  | { state: 'unknown'; why: string };
