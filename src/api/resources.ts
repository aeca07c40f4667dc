import type { ChangeKind } from '../changes/source.ts'
import { administeredDevices } from './admin/devices.ts'
import { keys } from './admin/keys.ts'
import { securityLog } from './admin/security-log.ts'
import { users } from './admin/users.ts'
import type { Resource } from './context.ts'
import { addresses } from './v2/addresses.ts'
import { aggregations } from './v2/aggregations/aggregations.ts'
import { drivingHours } from './v2/aggregations/hours.ts'
import { areaChanges, areas } from './v2/areas/areas.ts'
import { areaVisits } from './v2/areas/visits.ts'
import { eventTypes, ruleKinds, units } from './v2/catalogue.ts'
import { deviceChanges, devices } from './v2/devices.ts'
import { dtcChanges, dtcs } from './v2/dtcs.ts'
import { eventChanges, events } from './v2/events/events.ts'
import { incidentChanges, incidents } from './v2/incidents/incidents.ts'
import { positions } from './v2/positions.ts'
import { rulePreview } from './v2/rule-preview/route.ts'
import { ruleChanges, rules } from './v2/rules.ts'
import { tripExplanation } from './v2/trip-explanation/route.ts'
import { tripChanges, trips } from './v2/trips.ts'
import { vehicleSettings } from './v2/vehicle-settings.ts'
import { vehicleChanges, vehicles } from './v2/vehicles.ts'

/** Every resource of the API; a new one is a file or a folder, and a line here. */
export const RESOURCES: readonly Resource[] = [
  devices,
  vehicles,
  vehicleSettings,
  addresses,
  positions,
  trips,
  tripExplanation,
  events,
  dtcs,
  incidents,
  rules,
  rulePreview,
  ruleKinds,
  aggregations,
  drivingHours,
  areas,
  areaVisits,
  eventTypes,
  units,
]

/** Whose changes can be followed (`src/changes/`): by the live stream, and by whatever sends them elsewhere. */
export const CHANGE_KINDS: readonly ChangeKind[] = [
  vehicleChanges,
  deviceChanges,
  tripChanges,
  dtcChanges,
  incidentChanges,
  ruleChanges,
  areaChanges,
  eventChanges,
]

/** Administration, below `/admin`: beyond the contract. */
export const ADMINISTRATION: readonly Resource[] = [users, keys, administeredDevices, securityLog]
