import type { EventTypeId } from '../../catalogue/event-types.ts'
import { type CopiedRow, rowsOfCopy } from '../../db/copy.ts'
import { sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { HistorySource } from '../history-source.ts'
import type { Interval } from '../interval.ts'
import { DAY_MS } from './days.ts'
import { fitAtOnce, havingTypes, ofDevices, SAMPLES_AT_ONCE, type SealedDay } from './sealed-days.ts'
import { UnpackedBody } from './unpacked-body.ts'

/** PostgreSQL counts days from 2000 on. */
const YEAR_2000_MS = Date.UTC(2000)

/**
 * All sealed days of a device in an interval, in their order, some at a time. When: as `readSealedDays` says. They come as bytes: to read
 * the text of a body takes as long as to unpack a column of it. None is remembered: who goes through a history comes back to few of its days, and
 * what is kept of a thousand days is looked through with each collection of garbage.
 * @param types only those that can have samples with one of them
 * @param mostSamples of the days of one statement, unless the first one alone has more
 */
export async function* sealedDaysIn(
  source: HistorySource,
  { deviceId, fromMs, toMs }: Interval,
  types?: readonly EventTypeId[],
  mostSamples = SAMPLES_AT_ONCE,
): AsyncGenerator<readonly SealedDay[]> {
  for (let atMs = fromMs; atMs < toMs; ) {
    const bytes = await source.copied(sql`
      select d.day, d.body
      from (
        select d.*, row_number() over w = 1 as is_first, ${fitAtOnce(sql`w`, mostSamples)} as fits
        from sealed_days d where ${ofDevices([deviceId], { fromMs: atMs, toMs })} and ${havingTypes(types)}
        window w as (order by d.day)) as d
      where d.is_first or d.fits order by d.day`)
    const days = rowsOfCopy(bytes).map(row => dayOf(deviceId, row))
    const last = days.at(-1)
    if (!last) return
    yield days
    atMs = last.day.toMs
  }
}

function dayOf(deviceId: DeviceId, [day, body]: CopiedRow): SealedDay {
  if (!day || !body) throw new Error('a sealed day without a body')
  const fromMs = YEAR_2000_MS + day.readInt32BE() * DAY_MS
  return { deviceId, day: { fromMs, toMs: fromMs + DAY_MS }, body: new UnpackedBody(body) }
}
