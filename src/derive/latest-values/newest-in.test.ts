import { expect, it } from 'vitest'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { newestIn, newestOf } from './latest-values.ts'

const SPEED = requiredEventType('GPS_SPEED').id
const MILEAGE = requiredEventType('MILEAGE').id
const FOREVER = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
const at = (timeMs: number) => ({ timeMs, value: 1 })

it('of a dongle that moved, the new vehicle has what was measured since, the old one what was not', () => {
  const newest = new Map([
    [SPEED, at(250)],
    [MILEAGE, at(150)],
  ])
  expect(newestIn(newest, [{ ...FOREVER, fromMs: 200 }])).toEqual({ known: new Map([[SPEED, at(250)]]), unknown: [] })
  expect(newestIn(newest, [{ ...FOREVER, toMs: 200 }])).toEqual({
    known: new Map([[MILEAGE, at(150)]]),
    unknown: [SPEED],
  })
})

it('of a dongle that came back, what was measured while it was away says nothing of the time before', () => {
  const spans = [
    { ...FOREVER, toMs: 100 },
    { ...FOREVER, fromMs: 200 },
  ]
  expect(newestIn(new Map([[SPEED, at(150)]]), spans)).toEqual({ known: new Map(), unknown: [SPEED] })
  expect(newestIn(new Map([[SPEED, at(200)]]), spans)).toEqual({ known: new Map([[SPEED, at(200)]]), unknown: [] })
})

it('the newest of several vehicles wins', () => {
  const all = [new Map([[SPEED, at(1)]]), new Map([[SPEED, at(3)]]), new Map([[SPEED, at(2)]])]
  expect(newestOf(all)).toEqual(new Map([[SPEED, at(3)]]))
})
