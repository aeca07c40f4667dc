import { type EventTypeId, requiredEventType } from '../../catalogue/event-types.ts'
import { badRequest } from '../../model/errors.ts'
import { type DeviceId, deviceIdOfText, type EventValue } from '../../model/sample.ts'
import { type GpsFix, putGpsFix } from '../shared/gps-fix.ts'
import type { Report } from '../shared/reports.ts'
import { readAttributes } from '../shared/tracker-attributes.ts'

/** The common content of both forms of the protocol; other values still have their own names. */
interface ReportedInstant {
  readonly deviceId: DeviceId
  readonly timeMs: number
  readonly fix: GpsFix | undefined
  /** Accuracy as reported by the phone, in metres. */
  readonly accuracyM: number | undefined
  readonly isMoving: boolean | undefined
  readonly cellInfo: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Phones without GNSS estimate their position from network cells; over trips the errors would add up to kilometres. */
const COARSEST_M = 200

const IS_MOVING = requiredEventType('IS_MOVING').id
const NETWORK_CELL_INFO = requiredEventType('NETWORK_CELL_INFO').id

/** Makes events of what was reported. */
export function phoneReport(reported: ReportedInstant): Report {
  const { deviceId, timeMs, fix, accuracyM, isMoving, cellInfo, attributes } = reported
  const events = new Map<EventTypeId, EventValue>()
  const isCoarse = accuracyM !== undefined && accuracyM > COARSEST_M
  if (fix && !isCoarse) putGpsFix(events, fix)
  const leftOut = readAttributes(attributes, events)
  if (isMoving !== undefined) events.set(IS_MOVING, isMoving)
  if (cellInfo !== undefined) events.set(NETWORK_CELL_INFO, cellInfo)
  return { deviceId, timeMs, events, leftOut: fix && isCoarse ? [...leftOut, 'coarseFix'] : leftOut }
}

/** @throws ClientError 400 when it is no IMEI. */
export function readDeviceId(value: unknown, name: string): DeviceId {
  const text = typeof value === 'number' ? String(value) : value
  const deviceId = typeof text === 'string' ? deviceIdOfText(text.trim()) : undefined
  if (deviceId === undefined)
    throw badRequest(`${name} must be the number of the device: an IMEI, or other digits below 2^53.`)
  return deviceId
}
