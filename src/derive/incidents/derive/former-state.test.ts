import { expect, it } from 'vitest'
import { ruleOf, rulesOf } from '../../../../test/found-incidents.ts'
import { incidentsPart } from './incidents-part.ts'
import { unpackState } from './packed-state.ts'

const SPELL = {
  startMs: 1_795_910_788_856,
  startLon: 8.513765,
  startLat: 48.899758,
  lastMs: 1_795_911_158_856,
  lastLon: 8.543522,
  lastLat: 48.862815,
  peak: null,
  peakMs: null,
  count: 75,
}

const STATE = {
  inForce: '101 8qiasjiukx',
  situation: {
    lastMs: 1_795_911_158_856,
    isIgnitionOn: true,
    ignitionMs: 1_795_911_153_856,
    isEngineOn: null,
    rpm: 1536,
    voltageV: 13.98,
    kmh: 37.5,
    isKmhOfCar: false,
    courseDeg: 196,
    isUnplugged: false,
    isMoving: true,
    place: { lon: 8.543522, lat: 48.862815, timeMs: 1_795_911_158_856, count: 3, rival: null },
    stayLon: 8.5435,
    stayLat: 48.8628,
    staySinceMs: 1_795_911_158_856,
    odometerKm: 121_112.9,
    odometerMs: 1_795_911_153_856,
    odometerSinceMs: 1_795_911_153_856,
  },
  rules: [[4, 1, SPELL]],
} as const

const IDLING = rulesOf([ruleOf('IDLING', {}, { ruleId: 4 })])
const read = (stored: string) => unpackState(IDLING, JSON.parse(stored))

it('a state that was stored with the names of its fields is read', () => {
  expect(read(JSON.stringify(STATE))).toEqual(STATE)
})

it('a state that was stored with a situation without names is read', () => {
  const stored = `["101 8qiasjiukx",[1795911158856,true,1795911153856,null,1536,13.98,37.5,false,196,false,true,
    [8.543522,48.862815,1795911158856,3,null],8.5435,48.8628,1795911158856,121112.9,1795911153856,1795911153856],
    [[4,1,${JSON.stringify(SPELL)}]]]`
  expect(read(stored)).toEqual(STATE)
  const nowhere = stored.replace('[8.543522,48.862815,1795911158856,3,null]', 'null')
  expect(read(nowhere)?.situation.place).toBeNull()
})

it('a car that is out of all areas stays so in each form that was stored, since when and until when it was seen there', () => {
  const outside = rulesOf([ruleOf('OUTSIDE_AREAS', { forMinutes: 5 }, { ruleId: 4 })])
  const part = incidentsPart(outside)
  const inVersion1 = `[1,"101 8qiasjiukx",1795911158856,[8.543522,48.862815,0,3,null],[true,-5000,null,1536,13.98,37.5,false,196,
    false,true,[8.5435,48.8628],0,121112.9,-5000,-5000],[[4,1,[-370000,[8.513765,48.899758],0,0,null,null,75]]]]`
  for (const stored of [inVersion1, JSON.stringify(STATE)]) {
    const state = unpackState(outside, JSON.parse(stored))
    const again = unpackState(outside, JSON.parse(JSON.stringify(part.pack(state))))
    const start = { startMs: SPELL.startMs, startLongitude: 8.513765, startLatitude: 48.899758 }
    expect(part.goingOn(again)).toMatchObject([{ ...start, endMs: null }])
    const end = { endMs: SPELL.lastMs, endLongitude: 8.543522, endLatitude: 48.862815 }
    expect(part.silentUntil(again, SPELL.lastMs + 30 * 86_400_000)).toMatchObject([{ ...start, ...end }])
  }
  const short = rulesOf([ruleOf('OUTSIDE_AREAS', { forMinutes: 10 }, { ruleId: 4 })])
  expect(incidentsPart(short).goingOn(unpackState(short, JSON.parse(inVersion1)))).toEqual([])
})

it('a state of a later version is refused', () => {
  expect(() => read('[3,"101 8qiasjiukx",1795911158856,null,[],[]]')).toThrow('stored in version 3')
})
