import { sql } from '../../db/sql.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'
import type { SampleSource } from '../sample-source.ts'
import { dayStartMs, dayText } from './days.ts'
import { keyOf } from './raw-sealed.ts'
import { readSealedDays } from './sealed-days.ts'
import { plain } from './sealed-stretch.ts'

interface Key {
  readonly deviceId: DeviceId
  readonly timeMs: number
}

/** The sealed samples with these keys. */
export async function readSealedAt(source: SampleSource, keys: readonly Key[]): Promise<Sample[]> {
  if (keys.length === 0) return []
  const days = new Map<string, Key[]>()
  for (const key of keys) {
    const day = keyOf({ deviceId: key.deviceId, timeMs: dayStartMs(key.timeMs) })
    days.set(day, [...(days.get(day) ?? []), key])
  }
  const firsts = [...days.values()].flatMap(([first]) => first ?? [])
  const which = sql`(d.device_id, d.day) in (select * from unnest(
    ${firsts.map(({ deviceId }) => deviceId)}::bigint[], ${firsts.map(({ timeMs }) => dayText(timeMs))}::date[]))`
  // Asked for each packet of late samples, whose days are mostly not sealed: it takes longer to plan than to run.
  const found = await readSealedDays(source, which, { prepareAs: 'sealed-days-at' })
  return found.flatMap(({ deviceId, day, body }) => {
    const times = new Set(days.get(keyOf({ deviceId, timeMs: day.fromMs }))?.map(({ timeMs }) => timeMs))
    return [...times].flatMap(timeMs => {
      const { first, end } = body.placesIn({ fromMs: timeMs, toMs: timeMs + 1 })
      return first < end ? plain(body.sampleAt(deviceId, first)) : []
    })
  })
}
