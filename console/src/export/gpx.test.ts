import { describe, expect, it } from 'vitest'
import { gpxOf } from './gpx.ts'

const AT = Date.UTC(2026, 10, 21, 7, 21, 51, 431)

describe('GPX', () => {
  it('has every point with its time, and its altitude where that was measured', () => {
    const gpx = gpxOf({
      name: 'B-MW 7',
      points: [
        { timeMs: AT, latitude: 49.01404, longitude: 8.39798, altitudeM: 115.5 },
        { timeMs: AT + 1000, latitude: -49, longitude: 0.0000001 },
      ],
    })
    expect(gpx).toContain(
      '<trkpt lat="49.01404" lon="8.39798"><ele>115.5</ele><time>2026-11-21T07:21:51.431Z</time></trkpt>\n' +
        '<trkpt lat="-49" lon="0.000000100"><time>2026-11-21T07:21:52.431Z</time></trkpt>',
    )
    expect(gpx).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<gpx version="1.1" creator="[^"]+" xmlns="http:\/\/www.topografix.com\/GPX\/1\/1"/,
    )
  })

  it('keeps names from being markup, and leaves out what XML cannot say', () => {
    const gpx = gpxOf({ name: `<Tom & "Jerry's">\u0000\u0007\uFFFE ü 🚗`, points: [] })
    expect(gpx).toContain('<trk><name>&lt;Tom &amp; &quot;Jerry&apos;s&quot;&gt; ü 🚗</name>')
  })

  it('elements stand in the order of the schema: metadata before track, elevation before time', () => {
    const gpx = gpxOf({ name: 'x', points: [{ timeMs: AT, latitude: 1, longitude: 2, altitudeM: 3 }] })
    const elements = [...gpx.matchAll(/<(\w+)[ >]/g)].map(([, element]) => element)
    expect(elements).toEqual(['gpx', 'metadata', 'name', 'time', 'trk', 'name', 'trkseg', 'trkpt', 'ele', 'time'])
  })
})
