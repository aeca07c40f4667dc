import type { DeviceId } from '../../src/model/sample.ts'
import {
  type DongleLine,
  type FaultLine,
  type FleetLine,
  type IncidentLine,
  readTruth,
  type StintLine,
  type TripLine,
  timesOf,
} from '../simulate/truth.ts'

export interface DongleTruth {
  readonly deviceId: DeviceId
  readonly acknowledgedMs: Set<number>
  /** Acknowledged records of an impossible time: they are kept apart and found nowhere. */
  misdated: number
  allToldMs: number
  readonly trips: TripLine['trip'][]
  readonly incidents: IncidentLine['incident'][]
  readonly stints: StintLine['stint'][]
  dongle?: DongleLine['dongle']
}

export interface KnownTruth {
  readonly fleet: FleetLine['fleet'] | undefined
  readonly dongles: readonly DongleTruth[]
  readonly faults: readonly FaultLine['fault'][]
}

export function sharedVins(dongles: readonly Pick<DongleTruth, 'dongle'>[]): ReadonlySet<string> {
  return new Set(dongles.flatMap(({ dongle }) => dongle?.secondIn ?? []))
}

export async function readKnownTruth(path: string): Promise<KnownTruth> {
  const dongles = new Map<DeviceId, DongleTruth>()
  const faults = new Map<string, FaultLine['fault']>()
  let fleet: FleetLine['fleet'] | undefined
  const dongleOf = (deviceId: DeviceId) => {
    const dongle: DongleTruth = dongles.get(deviceId) ?? {
      deviceId,
      acknowledgedMs: new Set(),
      misdated: 0,
      allToldMs: Number.NEGATIVE_INFINITY,
      trips: [],
      incidents: [],
      stints: [],
    }
    dongles.set(deviceId, dongle)
    return dongle
  }
  for await (const line of readTruth(path)) {
    if ('fleet' in line) fleet = line.fleet
    else if ('dongle' in line) dongleOf(line.dongle.deviceId).dongle = line.dongle
    else if ('stint' in line) dongleOf(line.stint.deviceId).stints.push(line.stint)
    else if ('acknowledged' in line) {
      const { acknowledgedMs } = dongleOf(line.acknowledged[0])
      for (const timeMs of timesOf(line.acknowledged)) acknowledgedMs.add(timeMs)
    } else if ('misdated' in line) dongleOf(line.misdated[0]).misdated += timesOf(line.misdated).length
    else if ('passed' in line) dongleOf(line.passed[0]).allToldMs = line.passed[2]
    else if ('trip' in line) dongleOf(line.trip.deviceId).trips.push(line.trip)
    else if ('incident' in line) dongleOf(line.incident.deviceId).incidents.push(line.incident)
    else {
      const { deviceId, vin, code, start } = line.fault
      faults.set(`${deviceId} ${vin} ${code} ${start}`, line.fault)
    }
  }
  return { fleet, dongles: [...dongles.values()], faults: [...faults.values()] }
}
