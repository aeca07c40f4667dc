/** Parts of a car and its dongle to which measurements belong, in the order in which they are shown. */
export const MEASUREMENT_GROUPS = [
  'driving',
  'engine',
  'fuel',
  'electric',
  'battery',
  'service',
  'behaviour',
  'dongle',
  'identification',
  'other',
] as const
export type MeasurementGroup = (typeof MEASUREMENT_GROUPS)[number]
