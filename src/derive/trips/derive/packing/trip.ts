import { type OpenTrip, type Pause } from '../open-trip.ts'
import type { Cause, OpeningRule, VinRun } from '../trip.ts'
import { packMeasured, unpackMeasured } from './measured.ts'
import { flagOf, isSet, type Origin, type Packed, packInstant, unpackInstant } from './values.ts'

const packOpened = ({ rule, timeMs }: Cause<OpeningRule>, originMs: number) => [rule, timeMs - originMs] as const
const unpackOpened = ([rule, timeMs]: Packed<typeof packOpened>, originMs: number): Cause<OpeningRule> => ({
  rule,
  timeMs: timeMs + originMs,
})

const packPause = ({ rule, sinceMs, measured, isSettled }: Pause, origin: Origin) =>
  [rule, sinceMs - origin.timeMs, packMeasured(measured, origin), flagOf(isSettled)] as const
const unpackPause = ([rule, sinceMs, measured, isSettled]: Packed<typeof packPause>, origin: Origin): Pause => ({
  rule,
  sinceMs: sinceMs + origin.timeMs,
  measured: unpackMeasured(measured, origin),
  isSettled: isSet(isSettled),
})

export const packTrip = ({ opened, measured, pause, movedMs, toldMs, idle, holdsUntilMs }: OpenTrip, origin: Origin) =>
  [
    packOpened(opened, origin.timeMs),
    packMeasured(measured, origin),
    pause ? packPause(pause, origin) : null,
    movedMs - origin.timeMs,
    toldMs - origin.timeMs,
    idle ? packMeasured(idle, origin) : null,
    packInstant(holdsUntilMs - origin.timeMs),
  ] as const
export const unpackTrip = (packed: Packed<typeof packTrip>, origin: Origin): OpenTrip => ({
  opened: unpackOpened(packed[0], origin.timeMs),
  measured: unpackMeasured(packed[1], origin),
  pause: packed[2] ? unpackPause(packed[2], origin) : undefined,
  movedMs: packed[3] + origin.timeMs,
  toldMs: packed[4] + origin.timeMs,
  idle: packed[5] ? unpackMeasured(packed[5], origin) : undefined,
  holdsUntilMs: unpackInstant(packed[6]) + origin.timeMs,
})

export const packVinRun = ({ vin, firstMs, boundaryMs, isConfirmed }: VinRun) =>
  [vin, firstMs, packInstant(boundaryMs), flagOf(isConfirmed)] as const
export const unpackVinRun = ([vin, firstMs, boundaryMs, isConfirmed]: Packed<typeof packVinRun>): VinRun => ({
  vin,
  firstMs,
  boundaryMs: unpackInstant(boundaryMs),
  isConfirmed: isSet(isConfirmed),
})
