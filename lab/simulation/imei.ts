import { luhnCheckDigit } from '../../src/catalogue/vehicles-and-dongles.ts'
import { type DeviceId, deviceIdOf } from '../../src/model/sample.ts'

/**
 * The IMEI of the `serial`th dongle (0 to 999,999) of a model, which its eight-digit type allocation code (TAC) names.
 * @throws when there can be no such IMEI.
 */
export function imeiOf(tac: string, serial: number): DeviceId {
  const digits = `${tac}${String(serial).padStart(6, '0')}`
  const deviceId = deviceIdOf(Number(`${digits}${luhnCheckDigit(digits)}`))
  // A leading zero would be lost: device ids are numbers.
  if (!/^[1-9]\d{13}$/.test(digits) || !deviceId) throw new Error(`no IMEI with TAC ${tac} and serial ${serial}`)
  return deviceId
}
