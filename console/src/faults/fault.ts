import type { Dtc } from '../api/types.ts'
import { normalised, numberOfCar } from '../fleet/car.ts'
import type { CarEntry } from '../fleet/use-car-directory.ts'

/** A fault code as the page shows it. */
export interface Fault {
  readonly id: string
  readonly vehicleId: string
  readonly carName: string
  readonly makeAndModel: string
  readonly code: string
  /** What the code means; empty if unknown. */
  readonly text: string
  /** The control unit that reported it; empty when not known. */
  readonly ecu: string
  readonly kind: Dtc['dtcType']
  readonly sinceMs: number
  /** The first list of the dongle without the code; undefined while it is in them. */
  readonly goneMs: number | undefined
}

export function faultOf(dtc: Dtc, car: CarEntry | undefined): Fault {
  return {
    id: dtc.id,
    vehicleId: dtc.vehicleId,
    carName: car?.name ?? numberOfCar(dtc.vehicleId),
    makeAndModel: car?.makeAndModel ?? '',
    code: dtc.code,
    text: dtc.label,
    ecu: dtc.ecuType,
    kind: dtc.dtcType,
    sinceMs: Date.parse(dtc.recordedTimestamp),
    goneMs: dtc.deleteTimestamp === null ? undefined : Date.parse(dtc.deleteTimestamp),
  }
}

interface FaultFilter {
  readonly search: string
  readonly kind: Dtc['dtcType'] | undefined
}

/** Those of a kind that have every word of the search in car, code, text or control unit. */
export function chosenFaults(faults: readonly Fault[], { search, kind }: FaultFilter): readonly Fault[] {
  const words = search.split(/\s+/).map(normalised).filter(Boolean)
  return faults.filter(fault => {
    if (kind !== undefined && fault.kind !== kind) return false
    if (words.length === 0) return true
    const searched = searchedText(fault)
    return words.every(word => searched.includes(word))
  })
}

const known = new WeakMap<Fault, string>()

/** All that a fault can be found by, one a line, so that no hit reaches from one into the next. */
function searchedText(fault: Fault): string {
  const before = known.get(fault)
  if (before !== undefined) return before
  const { carName, makeAndModel, vehicleId, code, text, ecu } = fault
  const made = [carName, makeAndModel, vehicleId, code, text, ecu].map(normalised).join('\n')
  known.set(fault, made)
  return made
}

/** Faults that have the code or the car in common. */
export interface FaultGroup {
  /** A code or a vehicle id. */
  readonly id: string
  /** The newest first; at least one. */
  readonly faults: readonly [Fault, ...Fault[]]
  readonly cars: number
  readonly codes: number
}

/** Groups of faults, the largest first: most cars with a code, most codes of a car. A fault may be there in several kinds. */
export function groupedBy(by: 'code' | 'car', faults: readonly Fault[]): readonly FaultGroup[] {
  const groups = new Map<string, [Fault, ...Fault[]]>()
  for (const fault of faults) {
    const id = by === 'code' ? fault.code : fault.vehicleId
    const group = groups.get(id)
    if (group) group.push(fault)
    else groups.set(id, [fault])
  }
  const counted = [...groups].map(([id, members]) => ({
    id,
    faults: members,
    cars: new Set(members.map(({ vehicleId }) => vehicleId)).size,
    codes: new Set(members.map(({ code }) => code)).size,
  }))
  const sizeOf = by === 'code' ? ({ cars }: FaultGroup) => cars : ({ codes }: FaultGroup) => codes
  return counted.sort((a, b) => sizeOf(b) - sizeOf(a))
}
