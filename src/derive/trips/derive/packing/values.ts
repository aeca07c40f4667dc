import type { EventTypeId } from '../../../../catalogue/event-types.ts'
import type { DeviceId, Position, Sample } from '../../../../model/sample.ts'

/**
 * A state is stored as JSON arrays without names: each object is the list of its fields, in the order of its pack function. It is
 * written and read with every upload of every dongle, so this is plain code (docs/adr/0029), and the text is short, because long numbers
 * take time. JSON has neither undefined nor infinity: both are null.
 */
export type Packed<Pack extends (...args: never[]) => unknown> = ReturnType<Pack>

/** The last sample, and where the dongle is: most values of a state are close to these. Instants are stored as the time since then. */
export interface Origin {
  readonly timeMs: number
  readonly position: Position | undefined
}

export const isSet = (flag: 0 | 1): boolean => flag === 1
export const flagOf = (isOn: boolean): 0 | 1 => (isOn ? 1 : 0)

export const packSince = (timeMs: number | undefined, originMs: number) =>
  timeMs === undefined ? null : timeMs - originMs
export const unpackSince = (packed: number | null, originMs: number) =>
  packed === null ? undefined : packed + originMs

export const packInstant = (timeMs: number) => (timeMs === -Infinity ? null : timeMs)
export const unpackInstant = (timeMs: number | null) => timeMs ?? -Infinity

export const packPosition = ({ lon, lat }: Position) => [lon, lat] as const
export const unpackPosition = ([lon, lat]: Packed<typeof packPosition>): Position => ({ lon, lat })

/** A position that is usually the one where the dongle is. */
export const packNear = (position: Position, { position: here }: Origin) =>
  here !== undefined && position.lon === here.lon && position.lat === here.lat ? 0 : packPosition(position)
export const unpackNear = (packed: Packed<typeof packNear>, { position: here }: Origin): Position => {
  if (packed !== 0) return unpackPosition(packed)
  if (!here) throw new Error('a state of the fold refers to a place that it does not contain')
  return here
}

export const packSample = ({ deviceId, timeMs, types, numbers, texts }: Sample) =>
  [deviceId, timeMs, types, numbers, texts] as const
export const unpackSample = ([deviceId, timeMs, types, numbers, texts]: readonly [
  DeviceId,
  number,
  readonly EventTypeId[],
  readonly number[],
  readonly string[],
]): Sample => ({ deviceId, timeMs, types, numbers, texts })
