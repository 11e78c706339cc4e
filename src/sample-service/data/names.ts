/** Names and words that generated data is made of. All people and firms are invented. */

export const DEALER_NAMES = [
  'Northgate Cars',
  'Riverside Motors',
  'Harbour Street Autos',
  'Castle Hill Cars',
  'Station Road Garage',
  'Meadow Lane Motors',
  'Beacon Car Centre',
  'Old Mill Autos',
] as const;

export const FIRST_NAMES = [
  'Alex',
  'Priya',
  'Tom',
  'Grace',
  'Omar',
  'Niamh',
  'Callum',
  'Zofia',
  'Dev',
  'Megan',
  'Rhys',
  'Aisha',
] as const;

export const LAST_NAMES = [
  'Morgan',
  'Patel',
  'Hughes',
  'Okafor',
  'Kowalska',
  'Fraser',
  'Bennett',
  'Khan',
  'Walsh',
  'Turner',
  'Singh',
  'Doyle',
] as const;

export const PRODUCT_TYPES = [
  'vehicle_walkaround',
  'personal_message',
  'service_inspection',
  'part_exchange_appraisal',
  'handover_guide',
] as const;

export const TITLES: Readonly<Record<(typeof PRODUCT_TYPES)[number], string>> = {
  vehicle_walkaround: 'Your video walkaround',
  personal_message: 'A message from the team',
  service_inspection: 'Your health check video',
  part_exchange_appraisal: 'Your part exchange appraisal',
  handover_guide: 'Getting to know your new car',
};

export const VIDEO_LABELS = ['Walkaround', 'Interior', 'Startup', 'Overview', 'Tour'] as const;

/**
 * Registration marks that break naive page addresses. Three that differ only in a space or in letter
 * case are in one group, because only within one dealer could they get the same page.
 */
export const ODD_MARKS: readonly (readonly string[])[] = [
  ['AB 12', 'AB12', 'ab12', ''],
  ['..', 'CON'],
  ['🚗💨 VROOM', 'LONG'.padEnd(300, ' PLATE')],
];
