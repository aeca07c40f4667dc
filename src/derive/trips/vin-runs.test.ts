import { expect, test } from 'vitest'
import { at, every, foldedOn, ignition, NOON_MS, NOTHING } from '../../../test/trip-samples.ts'
import type { Sample } from '../../model/sample.ts'
import { fold } from './fold.ts'

const A = 'WVWZZZ1KZAW000001'
const B = 'VF1AA000154326789'

function runsOf(samples: readonly Sample[]) {
  return [...foldedOn(NOTHING, samples).vinRuns.values()].map(({ vin, firstMs, boundaryMs, isConfirmed }) => ({
    vin,
    first: (firstMs - NOON_MS) / 1000,
    boundary: (boundaryMs - NOON_MS) / 1000,
    isConfirmed,
  }))
}

const drive = (fromS: number, toS: number, vin: string) => [
  ignition(fromS, true, { VIN: vin }),
  ...every(10, fromS + 10, toS - 10, () => ({ BATTERY_VOLTAGE: 14 })),
  ignition(toS, false),
]

test('a VIN read twice is confirmed, spaces and small letters aside', () => {
  expect(runsOf([at(0, { VIN: A })])).toEqual([{ vin: A, first: 0, boundary: -Infinity, isConfirmed: false }])
  expect(runsOf([at(0, { VIN: A }), at(1, {}), at(2, { VIN: ` ${A.toLowerCase()} ` })])).toMatchObject([
    { vin: A, isConfirmed: true },
  ])
})

test.each(['', 'UNKNOWN', A.slice(1), `${A}1`, A.replace('W', 'O'), '00000000000000000 '.repeat(2)])(
  'what is no VIN is no reading: "%s"',
  text => {
    expect(runsOf([at(0, { VIN: text })])).toEqual([])
    expect(runsOf([at(0, { VIN: A }), at(1, { VIN: text }), at(2, { VIN: A })])).toHaveLength(1)
  },
)

test('another VIN begins another run, and the first one again a third', () => {
  expect(runsOf([at(0, { VIN: A }), at(1, { VIN: B }), at(2, { VIN: A })]).map(run => run.vin)).toEqual([A, B, A])
})

test('the dongle moved after the last trip in the old car', () => {
  expect(runsOf([...drive(0, 600, A), ...drive(3600, 4200, B)])).toMatchObject([
    { vin: A, boundary: -Infinity },
    { vin: B, first: 3600, boundary: 600 },
  ])
})

test('the dongle moved when it was unplugged, which is later than the trip end', () => {
  const samples = [...drive(0, 600, A), at(900, { IS_DONGLE_PLUGGED_IN: false }), ...drive(3600, 4200, B)]
  expect(runsOf(samples)).toMatchObject([{ vin: A }, { vin: B, boundary: 900 }])
})

test('still unplugged is not unplugged again', () => {
  const samples = [...every(60, 0, 600, () => ({ IS_DONGLE_PLUGGED_IN: false })), ...drive(700, 1000, B)]
  expect(runsOf(samples)).toMatchObject([{ boundary: 0 }])
})

test('read within a pause that turns out to be the end of a trip: the boundary is that end', () => {
  const samples = [...drive(0, 600, A), at(660, { VIN: B })]
  expect(runsOf(samples)).toMatchObject([{ vin: A }, { vin: B, first: 660, boundary: -Infinity }])
  expect(runsOf([...samples, ignition(900, false)])).toMatchObject([{ vin: A }, { vin: B, first: 660, boundary: 600 }])
  // The trip went on: the pause was no end, and neither is what ends it later before the reading.
  const onward = [...samples, ...drive(700, 900, B), ignition(1200, false)]
  expect(runsOf(onward)).toMatchObject([{ vin: A }, { vin: B, boundary: -Infinity, isConfirmed: true }])
})

test('a VIN read in the very sample that ends the trip or unplugs is of the old car', () => {
  const samples = [...drive(0, 600, A).slice(0, -1), at(600, { IS_DONGLE_PLUGGED_IN: false, VIN: B })]
  expect(runsOf(samples)).toMatchObject([{ vin: A }, { vin: B, boundary: -Infinity }])
})

test('a run is told when it begins and when it is confirmed, not with every reading', () => {
  const { state } = fold(undefined, [at(0, { VIN: A }), at(1, { VIN: A }), at(2, { VIN: A })])
  expect(fold(state, [at(3, { VIN: A })]).vinRuns).toEqual([])
})
