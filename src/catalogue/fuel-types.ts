/** Fuel types by the number that a car reports for service 01, PID 51 (SAE J1979); 0 means not known. */
export const FUEL_TYPES: readonly string[] = [
  '',
  'Gasoline',
  'Methanol',
  'Ethanol',
  'Diesel',
  'LPG',
  'CNG',
  'Propane',
  'Electric',
  'Bifuel (gasoline)',
  'Bifuel (methanol)',
  'Bifuel (ethanol)',
  'Bifuel (LPG)',
  'Bifuel (CNG)',
  'Bifuel (propane)',
  'Bifuel (electric)',
  'Bifuel (electric and combustion)',
  'Hybrid (gasoline)',
  'Hybrid (ethanol)',
  'Hybrid (diesel)',
  'Hybrid (electric)',
  'Hybrid (electric and combustion)',
  'Hybrid (regenerative)',
  'Bifuel (diesel)',
]

/** The name of a fuel type that a dongle reports: a text stays as it is, a number of J1979 gets its name. */
export function fuelTypeText(reported: string): string {
  return /^\d+$/.test(reported) ? (FUEL_TYPES[Number(reported)] ?? '') : reported
}
