import { type EventType, type EventTypeId, eventTypeByName, requiredEventType } from '../../../catalogue/event-types.ts'
import { camelFrame } from '../../event-json.ts'
import { createLayouts, type Layouts } from '../../raw-values.ts'

/** Which of their latest values vehicles show as `lastEvents`. */
export interface LastEventSelection {
  readonly accept: (type: EventTypeId) => boolean
  /** All that it accepts, ascending by id; undefined when they are too many to be told one by one. */
  readonly types: readonly EventType[] | undefined
  /** The layouts of what is accepted. */
  readonly layouts: Layouts
}

const POSITION = requiredEventType('POSITION')

/**
 * @param names as the client asked for them; names that the catalogue lacks match nothing, undefined is all
 * @param hidesPositions the caller has no permission for positions
 */
export function selectLastEvents(names: readonly string[] | undefined, hidesPositions: boolean): LastEventSelection {
  if (!names) return hidesPositions ? ALL_BUT_POSITION : ALL
  const types = new Map<EventTypeId, EventType>()
  for (const name of names) {
    const type = eventTypeByName(name)
    if (type && !(hidesPositions && type.id === POSITION.id)) types.set(type.id, type)
  }
  const ascending = [...types.values()].sort((a, b) => a.id - b.id)
  return selection(type => types.has(type), ascending)
}

function selection(accept: LastEventSelection['accept'], types: LastEventSelection['types']): LastEventSelection {
  return { accept, types, layouts: createLayouts(camelFrame, accept) }
}

const ALL = selection(() => true, undefined)
const ALL_BUT_POSITION = selection(type => type !== POSITION.id, undefined)
