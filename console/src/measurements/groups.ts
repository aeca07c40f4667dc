import { defineTexts } from '../language/language.ts'

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

const groups: Readonly<Record<MeasurementGroup, string>> = {
  driving: 'Driving and position',
  engine: 'Engine',
  fuel: 'Fuel',
  electric: 'Electric drive',
  battery: 'Starter battery',
  service: 'Service and maintenance',
  behaviour: 'Driving behaviour',
  dongle: 'Device and network',
  identification: 'Identification',
  other: 'Other',
}

export const groupTexts = defineTexts('measurementGroups', groups)
