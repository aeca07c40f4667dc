import type { DeviceId } from '../../../src/model/sample.ts'
import type { Fault } from '../car.ts'
import { disturbedDay, isDisturbed } from './disturbed-day.ts'
import { dongleDays, plainReadings } from './dongle-day.ts'
import { faultsBetween } from './fault-codes.ts'
import type { VirtualCar, VirtualDongle } from './virtual-fleet.ts'

/** The first report of a dongle about a fault code. */
interface FirstWord {
  readonly deviceId: DeviceId
  /** By its own clock. */
  readonly timeMs: number
}

/** A fault code that a car stored, and what its dongle told of it. */
export interface FleetFaultCode {
  readonly vin: string
  readonly code: string
  readonly kind: Fault['kind']
  readonly fromMs: number
  /** When a workshop cleared it; null while it is stored. */
  readonly toMs: number | null
  /** The first list of codes that has it; null when none of the time asked for does. */
  readonly listed: FirstWord | null
  /** The first list after that one which has it no more. */
  readonly cleared: FirstWord | null
}

/** The fault codes that the cars stored after `fromMs` up to `toMs`. */
export function faultCodesBetween(
  dongles: readonly VirtualDongle[],
  cars: readonly VirtualCar[],
  fromMs: number,
  toMs: number,
): FleetFaultCode[] {
  return cars.flatMap(car =>
    faultsBetween(car, fromMs, toMs).map((fault): FleetFaultCode => {
      const clearedMs = fault.toMs !== undefined && fault.toMs <= toMs ? fault.toMs : undefined
      const first = (afterMs: number, untilMs: number) => firstList(dongles, car, afterMs, untilMs)
      const listed = first(Math.max(fault.fromMs - 1, fromMs), Math.min(fault.toMs ?? toMs, toMs))
      const cleared = listed && clearedMs !== undefined ? first(clearedMs - 1, toMs) : undefined
      return {
        vin: car.car.vin,
        code: fault.code,
        kind: fault.kind,
        fromMs: fault.fromMs,
        toMs: clearedMs ?? null,
        listed: listed ?? null,
        cleared: cleared ?? null,
      }
    }),
  )
}

const LIST = 'OBD_DTC_PERMANENT'

/** Which dongle first reports the codes of that car after `afterMs` and before `untilMs`. */
function firstList(
  dongles: readonly VirtualDongle[],
  car: VirtualCar,
  afterMs: number,
  untilMs: number,
): FirstWord | undefined {
  const words = dongles
    .filter(({ cars, dongle }) => cars.includes(car) && !dongle.silentAbout.has(LIST))
    .flatMap(dongle => {
      for (const day of dongleDays(dongle, afterMs, untilMs, car)) {
        const readings = isDisturbed(dongle)
          ? disturbedDay(dongle, day).recording.readings
          : plainReadings(day, afterMs, untilMs)
        for (const reading of readings)
          if (reading.events.has(LIST) && reading.takenMs > afterMs && reading.takenMs < untilMs)
            return [{ deviceId: dongle.dongle.deviceId, timeMs: reading.timeMs }]
      }
      return []
    })
  return words.sort((a, b) => a.timeMs - b.timeMs)[0]
}
