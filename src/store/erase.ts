import { EVENT_TYPES } from '../catalogue/event-types.ts'
import { OWN_LAYOUT_ID } from '../db/layouts.ts'
import type { LockedDevice } from '../db/shards.ts'
import { type Statement, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantMs } from '../db/values.ts'
import { type DeviceId, numbersPerValue, type Sample } from '../model/sample.ts'
import { DAY_MS, weekStartMs } from '../model/time-range.ts'
import { samplesOfBody } from './sealed/body.ts'
import { dayText } from './sealed/days.ts'

/** Erases every sample of a dongle, and subtracts their approximate size from the accounts that had it at their times.
 * The caller deletes its assignments afterwards. @param accountIds every account that ever had it */
export async function eraseSamples(
  { transaction, deviceId }: LockedDevice,
  accountIds: readonly number[],
): Promise<void> {
  // In the order in which nodes add to them.
  await transaction.rows(sql`
    select 1 from account_volumes where account_id = any(${accountIds}::integer[]) order by account_id, week for update`)
  const [ownTypes, texts] = [
    sql`case when e.layout_id = ${OWN_LAYOUT_ID} then e.texts[1] end`,
    sql`case when e.layout_id = ${OWN_LAYOUT_ID} then e.texts[2:] else e.texts end`,
  ]
  await transaction.rows(sql`
    with erased as (
      delete from samples where device_id = ${deviceId} returning time, layout_id, texts
    ), alike as (
      select a.account_id, date_trunc('week', e.time at time zone 'UTC')::date as week, e.layout_id, ${ownTypes} as own_types,
        count(*) as samples, sum(${storedTextBytes(texts)}) as text_bytes
      from erased e join assignments a on a.device_id = ${deviceId} and a.from_time <= e.time and e.time < a.to_time
      group by 1, 2, 3, 4
    ), freed as (
      select alike.account_id, week,
        sum(${storedBytesOfAll(sql`coalesce(h.types, own_types::smallint[])`, sql`samples`, sql`text_bytes`)}) as bytes
      from alike left join layouts h on h.id = layout_id group by 1, 2
    )
    update account_volumes v set bytes = greatest(0, v.bytes - freed.bytes)::bigint
    from freed where v.account_id = freed.account_id and v.week = freed.week`)
  await eraseSealed(transaction, deviceId)
}

/** Sealed days, one after the other, because a dongle may have thousands. */
async function eraseSealed(transaction: Transaction, deviceId: DeviceId): Promise<void> {
  const stays = await transaction.rows<{ account_id: number; from_time: string; to_time: string }>(
    sql`select account_id, from_time, to_time from assignments where device_id = ${deviceId}`,
  )
  for (;;) {
    // As a number: workers return nothing that could depend on a setting, as the text of a day does.
    const [erased] = await transaction.rows<{ day_number: number; body: Buffer }>(sql`
      delete from sealed_days where device_id = ${deviceId}
        and day = (select min(day) from sealed_days where device_id = ${deviceId})
      returning day - '1970-01-01'::date as day_number, body`)
    if (!erased) return
    const week = dayText(weekStartMs(erased.day_number * DAY_MS))
    const freed = new Map<number, number>()
    for (const sample of samplesOfBody(deviceId, erased.body)) {
      const stay = stays.find(
        ({ from_time: from, to_time: to }) => instantMs(from) <= sample.timeMs && sample.timeMs < instantMs(to),
      )
      if (stay) freed.set(stay.account_id, (freed.get(stay.account_id) ?? 0) + storedBytesOf(sample))
    }
    for (const [accountId, bytes] of freed)
      await transaction.rows(sql`
        update account_volumes set bytes = greatest(0, bytes - ${bytes}::bigint)
        where account_id = ${accountId} and week = ${week}::date`)
  }
}

/** Row header, columns of fixed length, and index entry. */
const ROW_BYTES = 90
/** Packed bytes per number; measured on drives of real cars. */
const NUMBER_BYTES = 5
const TEXT_BYTES = 8
const TEXTS_BYTES = 24

/** The approximate size of a sample on disk. */
export function storedBytesOf({ numbers, texts }: Sample): number {
  let bytes = ROW_BYTES + numbers.length * NUMBER_BYTES
  if (texts.length === 0) return bytes
  bytes += TEXTS_BYTES
  for (const text of texts) bytes += TEXT_BYTES + text.length
  return bytes
}

/** How many numbers a value takes, by the id of its type, starting at 1. */
const WIDTHS = EVENT_TYPES.reduce<number[]>((widths, type) => {
  widths[type.id - 1] = numbersPerValue(type)
  return widths
}, [])

/** The same of many samples that are stored, all of these types: how many there are, and what `storedTextBytes` of them makes. */
function storedBytesOfAll(types: Statement, samples: Statement, textBytes: Statement): Statement {
  return sql`${samples} * (${ROW_BYTES}::bigint + ${NUMBER_BYTES}::bigint * (
    select coalesce(sum((${WIDTHS}::smallint[])[type]), 0) from unnest(${types}) as type)) + ${textBytes}`
}

/** The size of the texts of a stored sample. */
function storedTextBytes(texts: Statement): Statement {
  return sql`(case when cardinality(${texts}) > 0 then ${TEXTS_BYTES}::bigint
    + ${TEXT_BYTES}::bigint * cardinality(${texts}) + length(array_to_string(${texts}, '')) else 0 end)`
}
