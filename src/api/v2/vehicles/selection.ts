import { type EventType, type EventTypeId, eventTypeByName } from '../../../catalogue/event-types.ts'
import type { HiddenEventTypes } from '../../../catalogue/permissions.ts'
import { camelFrame } from '../../event-json.ts'
import { eventTemplates, type TemplateOf } from '../../raw-values.ts'

/** Which latest values vehicles show as `lastEvents`. */
export interface LastEventSelection {
  readonly accept: (type: EventTypeId) => boolean
  /** All accepted types, ascending by id; undefined when there are too many to select them one by one. */
  readonly types: readonly EventType[] | undefined
  /** The JSON of accepted events. */
  readonly templateOf: TemplateOf
}

/**
 * @param names from the request; names that are not in the catalogue match nothing, undefined means all
 * @param hidden types that the caller has no permission for
 */
export function selectLastEvents(names: readonly string[] | undefined, hidden: HiddenEventTypes): LastEventSelection {
  if (!names) return allBut(hidden)
  const types = new Map<EventTypeId, EventType>()
  for (const name of names) {
    const type = eventTypeByName(name)
    if (type && !hidden.has(type.id)) types.set(type.id, type)
  }
  const ascending = [...types.values()].sort((a, b) => a.id - b.id)
  return selection(type => types.has(type), ascending)
}

function selection(accept: LastEventSelection['accept'], types: LastEventSelection['types']): LastEventSelection {
  return { accept, types, templateOf: eventTemplates(camelFrame, accept) }
}

const withoutHidden = new Map<HiddenEventTypes, LastEventSelection>()

/** Shared, because most requests use its templates. */
function allBut(hidden: HiddenEventTypes): LastEventSelection {
  const made = withoutHidden.get(hidden) ?? selection(type => !hidden.has(type), undefined)
  withoutHidden.set(hidden, made)
  return made
}
