import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parametersOf } from '../../../test/any-incident-history.ts'
import { ruleOf } from '../../../test/found-incidents.ts'
import { RULE_KINDS } from '../../catalogue/rule-kinds/index.ts'
import type { DeviceId } from '../../model/sample.ts'
import { KINDS } from './kinds/index.ts'
import { isOfCar, type RivalIncident, supersededIncidents } from './superseded.ts'

const MINUTE_MS = 60_000

function incident(device: number, from: number, to: number | null, more: Partial<RivalIncident> = {}): RivalIncident {
  return {
    deviceId: device as DeviceId,
    ruleId: 1,
    kind: 'SPEEDING',
    areaId: 0,
    detail: '',
    startMs: from * MINUTE_MS,
    endMs: to === null ? null : to * MINUTE_MS,
    isCutShort: false,
    hasOdometer: false,
    hasPosition: true,
    ...more,
  }
}

function counting(incidents: readonly RivalIncident[]): RivalIncident[] {
  const superseded = supersededIncidents(incidents)
  return incidents.filter(each => !superseded.has(each))
}

/** Incidents of three dongles by two rules. */
const anyIncidents: fc.Arbitrary<RivalIncident[]> = fc
  .array(
    fc.array(
      fc.record({
        pause: fc.integer({ min: 0, max: 6 }),
        length: fc.integer({ min: 0, max: 8 }),
        ruleId: fc.integer({ min: 1, max: 2 }),
        kind: fc.constantFrom('SPEEDING', 'SPEEDING', 'SERVICE_DUE_KM', 'OFFLINE'),
        isCutShort: fc.boolean(),
        hasOdometer: fc.boolean(),
        hasPosition: fc.boolean(),
        isOpen: fc.boolean(),
      }),
      { maxLength: 6 },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map(dongles =>
    dongles.flatMap((found, device) => {
      let at = 0
      return found.map(({ pause, length, isOpen, ruleId, kind, ...more }, index) => {
        const from = at + pause
        at = from + length
        const to = isOpen && index === found.length - 1 ? null : at
        return incident(device, from, to, { ...more, kind, ruleId: kind === 'SPEEDING' ? ruleId : 3 + kind.length })
      })
    }),
  )

describe('incidents of several dongles in one car', () => {
  it.each<[string, RivalIncident, RivalIncident]>([
    ['a dongle that knows the odometer', incident(2, 0, 10, { hasOdometer: true }), incident(1, 0, 10)],
    ['a position', incident(2, 0, 10), incident(1, 0, 10, { hasPosition: false })],
    ['the lower IMEI else', incident(1, 0, 10), incident(2, 0, 10)],
    ['the lower IMEI, also where the other one still goes on', incident(1, 0, 10), incident(2, 0, null)],
    [
      'a dongle for which it still goes on, where the other one fell silent',
      incident(2, 0, null),
      incident(1, 0, 10, { isCutShort: true, hasOdometer: true }),
    ],
    ['an instant noticed some seconds apart', incident(1, 5, 5), incident(2, 5.5, 5.5)],
    [
      'what a car reaches once, by who noticed first',
      incident(2, 0, 0, { kind: 'SERVICE_DUE_KM', detail: '15000' }),
      incident(1, 900, 900, { kind: 'SERVICE_DUE_KM', detail: '15000', hasOdometer: true }),
    ],
  ])('count once, by %s', (_, better, worse) => {
    expect(supersededIncidents([worse, better])).toEqual(new Map([[worse, better]]))
  })

  it.each<[string, RivalIncident, RivalIncident]>([
    ['apart in time', incident(1, 0, 10), incident(2, 11, 20)],
    ['of different rules', incident(1, 0, 10), incident(2, 0, 10, { ruleId: 2 })],
    ['of different areas', incident(1, 0, 10, { areaId: 1 }), incident(2, 0, 10, { areaId: 2 })],
    ['of different codes', incident(1, 0, 10, { detail: 'P0420' }), incident(2, 0, 10, { detail: 'P0300' })],
    ['of the dongle', incident(1, 0, 10, { kind: 'OFFLINE' }), incident(2, 0, 10, { kind: 'OFFLINE' })],
    ['of one dongle', incident(1, 0, 10), incident(1, 10, 20)],
  ])('all count where they are %s', (_, one, other) => {
    expect(counting([one, other])).toHaveLength(2)
  })

  it('count by what they are, in whatever order they become known', () => {
    const anyOrder = anyIncidents.chain(all =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(anyOrder, ([all, shuffled]) => {
        expect(supersededIncidents(shuffled)).toEqual(supersededIncidents(all))
      }),
    )
  })

  it('count again when the better one is none', () => {
    fc.assert(
      fc.property(anyIncidents, all => {
        const superseded = supersededIncidents(all)
        for (const loser of superseded.keys())
          expect(counting(all.filter(each => each !== loser))).toEqual(counting(all))
        for (const [loser, winner] of superseded) {
          expect(superseded.has(winner)).toBe(false)
          expect(counting([loser, winner])).toEqual([winner])
        }
      }),
    )
  })

  it('are of the car unless their kind looks at a dongle out of its socket', () => {
    for (const kind of RULE_KINDS) {
      const isOfDongle = KINDS[kind.name](ruleOf(kind.name, parametersOf(kind))).isOfDongle ?? false
      expect([kind.name, isOfCar(kind.name)]).toEqual([kind.name, !isOfDongle])
    }
  })
})
