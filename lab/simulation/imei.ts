import { luhnCheckDigit } from '../../src/catalogue/vehicles-and-dongles.ts'
import { type DeviceId, deviceIdOf } from '../../src/model/sample.ts'
import { vinCheckDigit } from '../../src/model/vin.ts'

/** The IMEI of the `serial`th dongle (0 to 999,999) of an eight-digit TAC. @throws when there can be no such IMEI. */
export function imeiOf(tac: string, serial: number): DeviceId {
  const digits = `${tac}${String(serial).padStart(6, '0')}`
  const deviceId = deviceIdOf(Number(`${digits}${luhnCheckDigit(digits)}`))
  // A leading zero would be lost: device ids are numbers.
  if (!/^[1-9]\d{13}$/.test(digits) || !deviceId) throw new Error(`no IMEI with TAC ${tac} and serial ${serial}`)
  return deviceId
}

/** A VIN with a valid check digit. @throws when the parts do not make one. */
export function vinOf(first: string, last: string): string {
  const vin = `${first}0${last}`
  if (!/^[A-HJ-NPR-Z0-9]{17}$/.test(vin) || first.length !== 8) throw new Error(`no VIN from ${first} and ${last}`)
  return `${first}${vinCheckDigit(vin)}${last}`
}
