import { defineTexts } from '../language/language.ts'

export const fleetTexts = defineTexts(
  { states: { driving: 'Driving', parked: 'Parked', offline: 'Offline', warning: 'Warning' } },
  { states: { driving: 'Fährt', parked: 'Parkt', offline: 'Offline', warning: 'Warnung' } },
)
