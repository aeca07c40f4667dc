import type { Resource } from './context.ts'
import { eventTypes } from './v2/event-types/route.ts'
import { units } from './v2/units/route.ts'

/** Every resource of the API; a new one is a folder and a line here. */
export const RESOURCES: readonly Resource[] = [eventTypes, units]
