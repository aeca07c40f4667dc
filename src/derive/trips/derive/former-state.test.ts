import { expect, test } from 'vitest'
import { at, every, ignition, place } from '../../../../test/trip-samples.ts'
import { fold, parseState } from './fold.ts'

/**
 * What the version before wrote: from 12:00 the car of test/trip-samples.ts drove east at 10 m/s with odometer and VIN; it
 * turned its ignition off at 12:05:10, and its newest sample is of 12:05:20.
 */
const MEASURED =
  '[1768219200000,1768219510000,[9.98,48.4],[10.021991008643328,48.4],[36,1768219500000,0,0,2900],' +
  '[1,3100.000006510601,[10.021991008643328,48.4],0,0,[9.98,48.4],100.00000021001085],' +
  '[5000.5,5003.5,1768219500000,0,5000.6,100.00000021001085,3000.00000630059,3000.00000630059,100,0,0],' +
  '[[5000.5,5003.5],null,null,null],' +
  '[0,0,"_clfH_f|{@?ihD",0,4840000,1000709,4840000,1002199,[0,-0.003501384719745125,0.003501384719745125,1099.9973944266735]],1]'
const WRITTEN =
  '[1,[1768219510000,[[0,0,20465],null,0],0,[[10.021991008643328,48.4],1768219510000,1768219510000,null],' +
  `[["ignition on",1768219200000],${MEASURED},["ignition off",1768219510000,${MEASURED},1]],null,` +
  '["WVWZZZ1KZAW000001",1768219210000,null,1]],[356307042441013,1768219520000,[6],[12.5],[]]]'

test('a drive goes on over an upgrade from the version before', () => {
  const state = parseState(WRITTEN)
  const { trips } = fold(state, [
    ignition(330, true, { POSITION: place(3100) }),
    ...every(10, 340, 600, s => ({
      POSITION: place(10 * s - 200),
      VEHICLE_SPEED_AVERAGE: 36,
      MILEAGE: 5000.5 + (s - 20) / 100,
    })),
    ignition(610, false, { POSITION: place(5900) }),
    ignition(800, false),
  ])
  expect(trips).toMatchObject([
    {
      startMs: at(0, {}).timeMs,
      endMs: at(610, {}).timeMs,
      startPosition: place(0),
      endPosition: place(5900),
      meters: { '85': { start: 5000.5, end: 5006.3 } },
      closed: { rule: 'ignition off' },
    },
  ])
  expect(Math.abs((trips[0]?.distanceM ?? 0) / 5900 - 1)).toBeLessThan(0.02)
})

test('the pause that it was in when the upgrade came ends it all the same', () => {
  const { trips } = fold(parseState(WRITTEN), [ignition(800, false)])
  expect(trips).toMatchObject([{ startMs: at(0, {}).timeMs, endMs: at(310, {}).timeMs, distanceM: 3100 }])
})
