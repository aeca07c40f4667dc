import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTimeMs, parseTimestamp } from './timestamps.ts'

describe('timestamps in', () => {
  it.each([
    ['2020-02-22T14:37:07.797Z', '2020-02-22T14:37:07.797000Z'],
    ['2020-02-22T14:37:07', '2020-02-22T14:37:07.000000Z'],
    ['2020-02-22 14:37:07', '2020-02-22T14:37:07.000000Z'],
    ['2020-02-22T14:37:07+02:00', '2020-02-22T12:37:07.000000Z'],
    ['2020-02-22T14:37:07 02:00', '2020-02-22T12:37:07.000000Z'],
    ['2020-02-22T14:37:07-0530', '2020-02-22T20:07:07.000000Z'],
    ['2020-02-22T14:37:07+02', '2020-02-22T12:37:07.000000Z'],
    // Java leaves out seconds that are zero.
    ['2020-02-22T14:37Z', '2020-02-22T14:37:00.000000Z'],
    ['2020-02-22t14:37z', '2020-02-22T14:37:00.000000Z'],
    ['2020-02-22T14:37', '2020-02-22T14:37:00.000000Z'],
    ['2020-02-22T14:37-05:30', '2020-02-22T20:07:00.000000Z'],
    ['2020-02-22T14:37:07,5+02', '2020-02-22T12:37:07.500000Z'],
    ['2020-02-22 14:37:07 UTC', '2020-02-22T14:37:07.000000Z'],
    ['2020-02-22 14:37:07.5 +0200 CEST', '2020-02-22T12:37:07.500000Z'],
    ['2020-02-22T14:37+02:00[Europe/Berlin]', '2020-02-22T12:37:00.000000Z'],
    ['2020-02-22', '2020-02-22T00:00:00.000000Z'],
    ['2020-02-29', '2020-02-29T00:00:00.000000Z'],
    ['2020-02-22T14:37:07.123456789Z', '2020-02-22T14:37:07.123456Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000000Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseTimestamp(text)).toBe(instant)
    expect(parseTimeMs(text)).toBe(Date.parse(`${instant.slice(0, 23)}Z`))
  })

  it.each([
    'yesterday',
    '2020-02-30',
    '2020-02-30T10:00:00.000Z',
    '2020-02-20T24:00:00.000Z',
    '2021-02-29',
    '2020-13-01',
    '2020-02-22T24:00:00',
    '2020-02-22T14:60:00',
    '2020-02-22T14',
    '2020-02-22T14:37.5Z',
    '2020-02-22T14:37[Europe/Berlin]',
    '2020-02-22T14:37 CET',
    '2020-02-22T14:37:',
    '2020-02-22T14:37:07+25:00',
    '1582456789',
    '2020-2-2',
    '0000-01-01',
    '9999-12-31T23:59:59-01:00',
  ])('%s is refused', text => {
    expect(parseTimestamp(text)).toBeUndefined()
    expect(parseTimeMs(text)).toBeUndefined()
  })

  it('reads back every instant it wrote, at any offset', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
        (date, offsetMinutes) => {
          const local = new Date(date.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1)
          const [hours, minutes] = [Math.trunc(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60].map(part =>
            String(part).padStart(2, '0'),
          )
          const text = `${local}${offsetMinutes < 0 ? '-' : '+'}${hours}:${minutes}`
          expect(parseTimestamp(text)).toBe(date.toISOString().replace('Z', '000Z'))
          expect(parseTimeMs(date.toISOString())).toBe(date.getTime())
        },
      ),
    )
  })
})
