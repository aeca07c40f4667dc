import { requiredEventType } from '../../src/catalogue/event-types.ts'
import { unnestOf } from '../../src/db/bulk-rows.ts'
import { sql } from '../../src/db/sql.ts'
import { instantOfMs } from '../../src/db/values.ts'
import type { Fact } from '../../src/derive/fact.ts'
import type { FoldPart } from '../../src/derive/fold-part.ts'
import { valueIn } from '../../src/model/sample.ts'

const IGNITION = requiredEventType('IS_IGNITION_ON')
const DAY_MS = 86_400_000

/** How often the ignition was turned on in a day of UTC; it begins when that was first so. */
type IgnitionDay = { readonly startMs: number; readonly cycles: number }

type IgnitionState = { readonly isOn: boolean; readonly day: IgnitionDay | null }

export const ignitionDays: FoldPart<IgnitionState, IgnitionDay> = {
  step(before, sample) {
    const { isOn: wasOn, day } = before ?? { isOn: false, day: null }
    const isOn = valueIn(sample, IGNITION) ?? wasOn
    if (isOn !== true || wasOn) return { state: { isOn: isOn === true, day }, done: [] }
    if (day && Math.floor(day.startMs / DAY_MS) === Math.floor(sample.timeMs / DAY_MS))
      return { state: { isOn, day: { ...day, cycles: day.cycles + 1 } }, done: [] }
    return { state: { isOn, day: { startMs: sample.timeMs, cycles: 1 } }, done: day ? [day] : [] }
  },
  goingOn: state => (state?.day ? [state.day] : []),
  keyOf: ({ startMs }) => String(startMs),
}

/** A complete fact: on how many occasions the ignition was turned on in a day. `decided` is when no later sample can change a row. */
export const toyFact: Fact = {
  name: 'ignition_days',
  inOrder: {
    part: () => ignitionDays,
    async write(locked, ranges) {
      if (ranges.length === 0) return
      const columns = {
        device_id: 'bigint',
        start_time: 'timestamptz',
        decided: 'timestamptz',
        cycles: 'integer',
      } as const
      const rows = ranges.flatMap(({ device: { deviceId }, items }) =>
        items.map(({ item, decidedMs }) => ({
          device_id: deviceId,
          start_time: item.startMs,
          decided: decidedMs,
          cycles: Number(item.cycles),
        })),
      )
      for (const { device, decidedFromMs, toMs, goingOn } of ranges)
        await locked.transaction.rows(sql`
          delete from ignition_days where device_id = ${device.deviceId} and decided >= ${instantOfMs(decidedFromMs)}::timestamptz
            and ('infinity' = ${instantOfMs(toMs)}::timestamptz or decided < ${instantOfMs(toMs)}::timestamptz)
            and start_time <> all(${goingOn.map(key => instantOfMs(Number(key)))}::timestamptz[])`)
      await locked.transaction.rows(sql`insert into ignition_days select * from ${unnestOf(columns, rows)}`)
    },
  },
  erase: async ({ transaction, deviceId }) => {
    await transaction.rows(sql`delete from ignition_days where device_id = ${deviceId}`)
  },
  readDerived: (transaction, deviceId) =>
    transaction.rows(sql`
      select concat('ignition_days ', start_time) as name, to_jsonb(day) as fields
      from ignition_days day where device_id = ${deviceId}`),
}
