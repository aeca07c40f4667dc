import { type EventTypeId, eventTypeByName } from '../../../catalogue/event-types.ts'
import type { HiddenEventTypes } from '../../../catalogue/permissions.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE } from '../../../derive/latest-values/battery-state.ts'

/** Which event types a list of events holds. */
export interface TypeSelection {
  readonly accept: (type: EventTypeId) => boolean
  /** Only samples with one of these can hold such an event; undefined when any can, empty when none. */
  readonly sampleTypes: readonly EventTypeId[] | undefined
}

/**
 * @param names from the request; names that are not in the catalogue match nothing
 * @param hidden types that the caller has no permission for
 */
export function selectTypes(names: readonly string[] | undefined, hidden: HiddenEventTypes): TypeSelection {
  if (!names) return { accept: type => !hidden.has(type), sampleTypes: undefined }
  const wanted = new Set(names.flatMap(name => eventTypeByName(name)?.id ?? []).filter(type => !hidden.has(type)))
  const sampleTypes = new Set(wanted)
  // The state follows from the voltage wherever the dongle sent none.
  if (wanted.has(BATTERY_STATE.id)) sampleTypes.add(BATTERY_VOLTAGE.id)
  return { accept: type => wanted.has(type), sampleTypes: [...sampleTypes] }
}
