import type { DeviceId, Sample } from '../../../model/sample.ts'
import { sql } from '../../sql.ts'
import type { SampleSource } from '../sample-source.ts'
import { dayText } from './days.ts'
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
  const days = new Map(keys.map(key => [`${key.deviceId} ${dayText(key.timeMs)}`, key]))
  const which = sql`(d.device_id, d.day) in (select * from unnest(
    ${[...days.values()].map(({ deviceId }) => deviceId)}::bigint[], ${[...days.values()].map(({ timeMs }) => dayText(timeMs))}::date[]))`
  const wanted = new Set(keys.map(keyOf))
  const found = await readSealedDays(source, which)
  return found.flatMap(({ samples }) => samples.filter(sample => wanted.has(keyOf(sample))).map(plain))
}
