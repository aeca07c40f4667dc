import type { DeviceId } from '../../src/model/sample.ts'
import { imeiOf } from '../simulation/imei.ts'
import { vinOf } from '../simulation/vin.ts'

/** What a recording does not tell: the IMEI of the dongle and the VIN of the car, made up from the car's number. */
interface CarIdentity {
  readonly deviceId: DeviceId
  readonly vin: string
}

export const MOST_CAR_NUMBER = 999_999

/** Type allocation code of every replayed dongle; 86 is the reporting body that most of them come from. */
const TAC = '86419603'

/** VIN positions 1 to 8 of cars common where the recordings were made (Ann Arbor, USA). */
// biome-ignore format: a row of codes reads better than a column
const KINDS_OF_CAR = [
  '1FADP3F2', '1G11C5SA', '1HGCR2F3', '4T1BF1FK', '1C3CCCAB', '5NPEC4AC', '3VWDX7AJ', 'JTDKN3DU', '1G1RB6E4',
  '3FA6P0LU', '1N4AZ0CP',
] as const

/** Position 10: model years 2012 to 2017. */
const MODEL_YEARS = ['C', 'D', 'E', 'F', 'G', 'H'] as const

/** The identity of car `carNumber` (1 to `MOST_CAR_NUMBER`): always the same, and no two cars share one. */
export function carIdentity(carNumber: number): CarIdentity {
  const kind = KINDS_OF_CAR[carNumber % KINDS_OF_CAR.length] ?? KINDS_OF_CAR[0]
  const year = MODEL_YEARS[carNumber % MODEL_YEARS.length] ?? MODEL_YEARS[0]
  return { deviceId: imeiOf(TAC, carNumber), vin: vinOf(kind, `${year}U${String(carNumber).padStart(6, '0')}`) }
}
