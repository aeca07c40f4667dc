import type { HiddenEventTypes } from '../../../catalogue/event-type-permissions.ts'
import { type EventType, type EventTypeId, eventTypeByName } from '../../../catalogue/event-types.ts'
import { camelFrame } from '../../event-json.ts'
import { eventTemplates, type TemplateOf } from '../../raw-values.ts'

/** Which of their latest values vehicles show as `lastEvents`. */
export interface LastEventSelection {
  readonly accept: (type: EventTypeId) => boolean
  /** All that it accepts, ascending by id; undefined when they are too many to be told one by one. */
  readonly types: readonly EventType[] | undefined
  /** The JSON of what is accepted. */
  readonly templateOf: TemplateOf
}

/**
 * @param names as the client asked for them; names that the catalogue lacks match nothing, undefined is all
 * @param hidden what the caller has no permission for
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

/** Made once: its templates are those of most requests. */
function allBut(hidden: HiddenEventTypes): LastEventSelection {
  const made = withoutHidden.get(hidden) ?? selection(type => !hidden.has(type), undefined)
  withoutHidden.set(hidden, made)
  return made
}
