import type { IngestSample } from '../upload/ingest-client.ts'
import { carIdentity } from './car-identity.ts'
import { MEASURED_COLUMNS } from './columns.ts'
import type { VedRow } from './row.ts'

/**
 * What the dongle of the row's car would have reported; undefined when the row holds nothing to report.
 * @param withVin a dongle reads the VIN once a trip.
 * @param shiftMs moves the recording in time.
 */
export function sampleOfRow(row: VedRow, withVin: boolean, shiftMs = 0): IngestSample | undefined {
  const { deviceId, vin } = carIdentity(row.carNumber)
  const events: IngestSample['events'][number][] = []
  if (withVin) events.push(['VIN', vin])
  if (row.position) events.push(['POSITION', row.position])
  MEASURED_COLUMNS.forEach(({ eventType }, i) => {
    const value = row.measured[i]
    if (value !== undefined && !Number.isNaN(value)) events.push([eventType, value])
  })
  return events.length ? { deviceId, timeMs: row.timeMs + shiftMs, events } : undefined
}
