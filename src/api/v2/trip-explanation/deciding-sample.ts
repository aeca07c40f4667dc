import type { EventTypeId } from '../../../catalogue/event-types.ts'
import { numbersOf, type RawSample, textsOf } from '../../../store/index.ts'
import { camelFrame, camelHead } from '../../event-json.ts'
import { eventTemplates, valueJson } from '../../raw-values.ts'
import type { DecidingSample } from './schema.ts'

/** A sample as a caller sees it. @param accept which event types the caller may see */
export function decidingSampleOf(raw: RawSample, accept: (type: EventTypeId) => boolean): DecidingSample {
  const recordedTimestamp = new Date(raw.timeMs).toISOString()
  const values = { numbers: numbersOf(raw), texts: textsOf(raw) }
  const head = camelHead(raw.deviceId, recordedTimestamp)
  const events = eventTemplates(
    camelFrame,
    accept,
  )(raw.layout).slots.flatMap(slot => {
    const json = valueJson(slot, values)
    return json === undefined ? [] : [head + slot.before + json + slot.after]
  })
  return { recordedTimestamp, events: JSON.parse(`[${events.join(',')}]`) as DecidingSample['events'] }
}
