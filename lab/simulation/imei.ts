import { luhnCheckDigit } from '../../src/catalogue/vehicles-and-dongles.ts'
import { type DeviceId, deviceIdOf } from '../../src/model/sample.ts'

/** The IMEI of the `serial`th dongle (0 to 999,999) of an eight-digit TAC. @throws when there can be no such IMEI. */
export function imeiOf(tac: string, serial: number): DeviceId {
  const digits = `${tac}${String(serial).padStart(6, '0')}`
  const deviceId = deviceIdOf(Number(`${digits}${luhnCheckDigit(digits)}`))
  // A leading zero would be lost: device ids are numbers.
  if (!/^[1-9]\d{13}$/.test(digits) || !deviceId) throw new Error(`no IMEI with TAC ${tac} and serial ${serial}`)
  return deviceId
}

/** Letters by what they count in the check digit (49 CFR 565.15(c)(4), table III); I, O and Q do not occur in a VIN. */
const LETTERS_BY_VALUE = ['', 'AJ', 'BKS', 'CLT', 'DMU', 'ENV', 'FW', 'GPX', 'HY', 'RZ'] as const

/** Weight of each position (same, table IV); the ninth is the check digit itself. */
const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2] as const

/** The check digit that a car sold in the USA has in the ninth place of its VIN; what stands there now does not count. */
export function vinCheckDigit(vin: string): string {
  const sum = WEIGHTS.reduce<number>((total, weight, i) => {
    const sign = vin.charAt(i)
    const value = /\d/.test(sign) ? Number(sign) : LETTERS_BY_VALUE.findIndex(letters => letters.includes(sign))
    return total + weight * value
  }, 0)
  return sum % 11 === 10 ? 'X' : String(sum % 11)
}

/** A VIN with a valid check digit. @throws when the parts do not make one. */
export function vinOf(first: string, last: string): string {
  const vin = `${first}0${last}`
  if (!/^[A-HJ-NPR-Z0-9]{17}$/.test(vin) || first.length !== 8) throw new Error(`no VIN from ${first} and ${last}`)
  return `${first}${vinCheckDigit(vin)}${last}`
}
