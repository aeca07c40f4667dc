import { type EventTypeId, eventTypeById } from '../../catalogue/event-types.ts'
import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'
import { UnpackedBody } from '../sealed/unpacked-body.ts'
import { sumText } from './decimal-sum.ts'
import type { SummedHour } from './hour-rollup.ts'
import { isKnownRollup, RollupBody } from './read-rollup-body.ts'
import { areEqual, rollupOfDay } from './rollup-of-day.ts'

/** A rollup that does not say what the samples of its day say. */
interface WrongRollup {
  readonly day: string
  readonly version: number
  /** What it should be. */
  readonly right: Buffer
  /** The first hour of each type that differs, as texts; undefined where there should be none, or is none. */
  readonly differences: readonly {
    readonly field: string
    readonly before: string | undefined
    readonly now: string | undefined
  }[]
}

/** Works the rollups of a device out from its sealed days again. Days without one are left out. */
export async function* findWrongRollups(connection: Connection, deviceId: DeviceId): AsyncGenerator<WrongRollup> {
  const days = await connection.rows<{ day: string }>(sql`
    select day::text as day from sealed_days where device_id = ${deviceId} and rollup is not null order by day`)
  for (const { day } of days) {
    const [sealed] = await connection.rows<{ version: number; body: Buffer; rollup: Buffer | null }>(
      sql`select version, body, rollup from sealed_days where device_id = ${deviceId} and day = ${day}::date`,
    )
    if (!sealed?.rollup || !isKnownRollup(sealed.rollup)) continue
    const right = rollupOfDay(new UnpackedBody(sealed.body))
    const differences = differencesBetween(new RollupBody(sealed.rollup), new RollupBody(right))
    if (differences.length > 0) yield { day, version: sealed.version, right, differences }
  }
}

function differencesBetween(before: RollupBody, now: RollupBody): WrongRollup['differences'] {
  const types = new Set<EventTypeId>([...before.types, ...now.types])
  return [...types].flatMap(type => {
    const [was, is] = [before.summedHoursOf(type), now.summedHoursOf(type)]
    if (before.dayMs === now.dayMs && areEqual(was, is)) return []
    const index = Math.max(0, is?.findIndex((hour, at) => !areEqual([hour], was?.slice(at, at + 1))) ?? 0)
    return { field: eventTypeById(type).name, before: hourText(was?.[index]), now: hourText(is?.[index]) }
  })
}

function hourText(hour: SummedHour | undefined): string | undefined {
  if (!hour) return undefined
  const { count, first, lowest, highest, last, sum } = hour
  const ends = Object.entries({ first, lowest, highest, last }).map(
    ([name, { timeMs, value }]) => `${name} ${value} at ${new Date(timeMs).toISOString()}`,
  )
  return `${count} ${count === 1 ? 'value' : 'values'}, ${ends.join(', ')}, sum ${sumText(sum)}`
}
