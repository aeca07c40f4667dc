/** The hardware of a dongle; a field is empty where it is not known. */
export interface Hardware {
  readonly manufacturer: string
  readonly hardwareType: string
  readonly hardwareVersion: string
}

interface Family {
  readonly manufacturer: string
  /** Finds the model in the text of a firmware version. */
  readonly model: RegExp
  /** Finds the version of the hardware in it. */
  readonly version?: RegExp
}

/** Dongles whose firmware version names the model. */
const FAMILIES: readonly Family[] = [
  // `FMB003.Ver.03.27.07.Rev.123`, `FMC003 03.28.03`; the answer to `getver` has `Hw:FMB003 Mod:13`.
  { manufacturer: 'Teltonika', model: /\b(F(?:MB|MC|MM|MP|MT|MU|TC|TM)\d{2,3})/i, version: /\bMod:(\d+)/i },
  { manufacturer: 'Queclink', model: /\b(GV5\d{2}(?:MAP|MA|CG|VC)?)(?=\b|_|R)/i },
  { manufacturer: 'Jimi IoT', model: /\b(VL50\d|OB2\d)/i },
  { manufacturer: 'Freematics', model: /\b(?:Freematics )?(ONE\+)/i },
]

const UNKNOWN: Hardware = { manufacturer: '', hardwareType: '', hardwareVersion: '' }

/** @param firmwareVersion as the dongle reports it */
export function hardwareOf(firmwareVersion: string): Hardware {
  for (const { manufacturer, model, version } of FAMILIES) {
    const hardwareType = model.exec(firmwareVersion)?.[1]?.toUpperCase()
    if (hardwareType !== undefined)
      return { manufacturer, hardwareType, hardwareVersion: version?.exec(firmwareVersion)?.[1] ?? '' }
  }
  return UNKNOWN
}

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

/** The Luhn check digit of `digits` (ISO/IEC 7812-1, annex B), as in IMEIs. */
export function luhnCheckDigit(digits: string): number {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits.at(-1 - i))
    const weighted = i % 2 === 0 ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return (10 - (sum % 10)) % 10
}
