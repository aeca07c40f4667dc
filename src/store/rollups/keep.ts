import { type EventTypeId, eventTypeById } from '../../catalogue/event-types.ts'
import { type Connection, sql } from '../../db/sql.ts'
import { type DeviceId, numbersPerValue } from '../../model/sample.ts'
import { UnpackedBody } from '../sealed/body.ts'
import { dayStartMs } from '../sealed/days.ts'
import { type HoursOfType, RollupBody, rollupBodyOf } from './body.ts'
import { type SummedHour, summedHours, sumText } from './hours.ts'

/** Types with rollups have one number a value; a BOOLEAN is 0 or 1. */
export function isRolledUp(type: EventTypeId): boolean {
  return numbersPerValue(eventTypeById(type)) === 1
}

/** The rollup of a sealed day, from its unpacked columns. @throws Error when it would not read back equal */
export function rollupOfDay(unpacked: UnpackedBody): Buffer {
  const types = new Map<EventTypeId, HoursOfType>()
  for (const type of unpacked.types) if (isRolledUp(type)) types.set(type, summedHours(unpacked.seriesOf(type)))
  const body = rollupBodyOf(dayStartMs(unpacked.timeMsAt(0)), types)
  const again = new RollupBody(body)
  for (const [type, hours] of types)
    if (!areEqual(hours, again.summedHoursOf(type))) throw new Error('a rollup would not read back equal')
  return body
}

/** Compares two rollups of a type, to the bit. */
function areEqual(a: HoursOfType, b: HoursOfType): boolean {
  if (!a || !b) return a === b
  return (
    a.length === b.length &&
    a.every((hour, index) => {
      const other = b[index]
      return (
        other !== undefined &&
        hour.count === other.count &&
        hour.sum.whole * 10n ** BigInt(other.sum.scale) === other.sum.whole * 10n ** BigInt(hour.sum.scale) &&
        ENDS.every(end => hour[end].timeMs === other[end].timeMs && Object.is(hour[end].value, other[end].value))
      )
    })
  )
}

const ENDS = ['first', 'lowest', 'highest', 'last'] as const

/** A rollup that does not say what the samples of its day say. */
interface WrongRollup {
  readonly day: string
  readonly version: number
  readonly right: Buffer
  /** The first hour of each type that differs, as texts; undefined where there should be none, or is none. */
  readonly differences: readonly {
    readonly field: string
    readonly before: string | undefined
    readonly now: string | undefined
  }[]
}

/** Works the rollups of a device out from its sealed days again. */
export async function* findWrongRollups(connection: Connection, deviceId: DeviceId): AsyncGenerator<WrongRollup> {
  const days = await connection.rows<{ day: string }>(sql`
    select day::text as day from sealed_days where device_id = ${deviceId} order by day`)
  for (const { day } of days) {
    const [sealed] = await connection.rows<{ version: number; body: Buffer; rollup: Buffer }>(
      sql`select version, body, rollup from sealed_days where device_id = ${deviceId} and day = ${day}::date`,
    )
    if (!sealed) continue
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

/** A sealed day as it was read, of which a rollup was made. */
interface RolledDay {
  readonly deviceId: DeviceId
  /** The date in UTC as ISO 8601 writes it. */
  readonly date: string
  readonly version: number
}

/** Writes the rollup of a sealed day, unless the day was sealed again or erased meanwhile. */
export async function writeRollup(
  connection: Connection,
  { deviceId, date, version }: RolledDay,
  rollup: Buffer,
): Promise<void> {
  await connection.rows(sql`
    update sealed_days set rollup = ${rollup}
    where device_id = ${deviceId} and day = ${date}::date and version = ${version}`)
}
