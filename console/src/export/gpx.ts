/** One measured place of a track. */
interface GpxPoint {
  readonly timeMs: number
  readonly latitude: number
  readonly longitude: number
  readonly altitudeM?: number | undefined
}

interface GpxTrack {
  readonly name: string
  readonly points: readonly GpxPoint[]
}

export const GPX_TYPE = 'application/gpx+xml'

/** A track as a file of GPX 1.1 (https://www.topografix.com/GPX/1/1/), without extensions. Points are in order of time. */
export function gpxOf({ name, points }: GpxTrack): string {
  const begin = points[0]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<gpx version="1.1" creator="Tacho" xmlns="http://www.topografix.com/GPX/1/1"' +
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"' +
      ' xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">',
    `<metadata><name>${escaped(name)}</name>${begin ? timeOf(begin.timeMs) : ''}</metadata>`,
    `<trk><name>${escaped(name)}</name><trkseg>`,
    ...points.map(pointOf),
    '</trkseg></trk>',
    '</gpx>',
    '',
  ].join('\n')
}

function pointOf({ timeMs, latitude, longitude, altitudeM }: GpxPoint): string {
  const elevation = altitudeM === undefined ? '' : `<ele>${decimal(altitudeM)}</ele>`
  return `<trkpt lat="${decimal(latitude)}" lon="${decimal(longitude)}">${elevation}${timeOf(timeMs)}</trkpt>`
}

function timeOf(timeMs: number): string {
  return `<time>${new Date(timeMs).toISOString()}</time>`
}

/** `xsd:decimal` knows no exponents. */
function decimal(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(9) : text
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

function escaped(text: string): string {
  return xmlText(text).replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? character)
}

/** Characters outside XML 1.0's *Char* cannot be written at all, so they are left out. */
export function xmlText(text: string): string {
  return Array.from(text).filter(isXmlCharacter).join('')
}

function isXmlCharacter(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd
  return !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfffe && code !== 0xffff
}
