import type { DongleTruth } from './known-truth.ts'

/** A vehicle as the API lists it, with the dongle that it says is in it. */
export interface ListedVehicle {
  readonly id: string
  readonly deviceId: number | null
}

/** Of how many cars the API names the dongle that told the newest of them. */
export interface PresentDongles {
  readonly known: number
  readonly right: number
}

/** Until when a dongle told something of a car. */
interface Teller {
  readonly dongle: DongleTruth
  readonly untilMs: number
}

/** Whether each listed car has its dongle of now. @returns undefined when the truth does not say where dongles were */
export function scorePresentDongles(
  dongles: readonly DongleTruth[],
  vehicles: readonly ListedVehicle[],
): PresentDongles | undefined {
  if (dongles.every(({ stints }) => stints.length === 0)) return undefined
  const listed = vehicles.flatMap(({ id, deviceId }) => {
    const present = presentIn(id.replace(/^VIN/, ''), dongles)
    return present.length > 0 ? [present.some(({ dongle }) => dongle.deviceId === deviceId)] : []
  })
  return { known: listed.length, right: listed.filter(Boolean).length }
}

/** Of two that report side by side, either may be the one that was heard last. */
const SIDE_BY_SIDE_MS = 10 * 60_000

/** Which dongles are in the car, as far as the service can know: by the VIN that they told on a drive there. */
function presentIn(vin: string, dongles: readonly DongleTruth[]): Teller[] {
  const tellers = dongles.flatMap((dongle): Teller[] => {
    const untilMs = toldUntilMs(vin, dongle)
    return untilMs === undefined ? [] : [{ dongle, untilMs }]
  })
  const lastMs = Math.max(...tellers.map(({ untilMs }) => untilMs))
  const present = tellers.filter(({ untilMs }) => untilMs > lastMs - SIDE_BY_SIDE_MS)
  const formerMs = Math.max(...tellers.filter(each => !present.includes(each)).map(({ untilMs }) => untilMs))
  const isKnown = present.every(
    ({ dongle: { dongle, trips } }) =>
      dongle?.tellsVin !== false && trips.some(trip => trip.vin === vin && Date.parse(trip.start) > formerMs),
  )
  return isKnown ? present : []
}

function toldUntilMs(vin: string, { stints, acknowledgedMs }: DongleTruth): number | undefined {
  const spans = stints
    .filter(stint => stint.vin === vin)
    .map(({ start, end }) => ({ fromMs: Date.parse(start), toMs: Date.parse(end) }))
  let untilMs: number | undefined
  for (const timeMs of acknowledgedMs)
    if (timeMs > (untilMs ?? 0) && spans.some(({ fromMs, toMs }) => fromMs <= timeMs && timeMs <= toMs))
      untilMs = timeMs
  return untilMs
}
