import { expect, test } from 'vitest'
import { isLoopback, needsKey, setupOf, WAYS, type Way } from './setup.ts'

const ORIGIN = 'https://fleet.example.com:8443'
const valuesOf = (way: Way, origin: string, imei: string, teltonikaPort?: number | null) =>
  setupOf(way, origin, imei, teltonikaPort).map(({ value }) => value)

test('a Teltonika dongle is told the host of this server and the port of its protocol, not that of the console', () => {
  expect(valuesOf('teltonika', ORIGIN, '', 5028)).toEqual(['fleet.example.com', '5028', 'TCP', 'Codec 8 Extended'])
  expect(valuesOf('teltonika', ORIGIN, '')).toContain('5027')
  expect(valuesOf('teltonika', ORIGIN, '', null)).toEqual([])
})

test('what reports over HTTP is told the address of the console, and where its key goes', () => {
  for (const way of WAYS.filter(needsKey)) {
    const text = valuesOf(way, ORIGIN, '490154203237518').join('\n')
    expect(text).toContain(`${ORIGIN}/ingest/`)
    expect(text).toContain('KEY')
  }
})

test('the number that was entered stands in the topic and the request', () => {
  expect(valuesOf('mqtt', ORIGIN, '490154203237518')[0]).toBe('tacho/490154203237518/events')
  expect(valuesOf('http', ORIGIN, '490154203237518')[0]).toContain('"deviceId": 490154203237518')
})

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['192.168.1.4', false],
  ['fleet.example.com', false],
])('%s can be reached from this machine only: %s', (hostname, is) => {
  expect(isLoopback(hostname)).toBe(is)
})
