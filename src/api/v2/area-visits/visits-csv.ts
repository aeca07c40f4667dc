import type { Visit } from './schema.ts'

const COLUMNS = [
  'vehicleId',
  'deviceId',
  'enterTimestamp',
  'leaveTimestamp',
  'isOver',
  'duration',
  'distance',
] as const satisfies readonly (keyof Visit)[]

/** A table of visits (RFC 4180). No value needs quotes: ids, instants, numbers, true and false. */
export function* csvLines(visits: Iterable<Visit>): Generator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for (const visit of visits) yield `${COLUMNS.map(column => visit[column]).join(',')}\r\n`
}
