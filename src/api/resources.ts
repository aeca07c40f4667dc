import type { ChangeKind } from '../changes/source.ts'
import { administeredDevices } from './admin/devices.ts'
import { keys } from './admin/keys.ts'
import { securityLog } from './admin/security-log.ts'
import { users } from './admin/users.ts'
import type { Resource } from './context.ts'
import { addresses } from './v2/addresses/route.ts'
import { drivingHours } from './v2/aggregations/hours.ts'
import { aggregations } from './v2/aggregations/route.ts'
import { areaVisits } from './v2/area-visits/route.ts'
import { areaChanges } from './v2/areas/query.ts'
import { areas } from './v2/areas/route.ts'
import { eventTypes, units } from './v2/catalogue/route.ts'
import { deviceChanges } from './v2/devices/query.ts'
import { devices } from './v2/devices/route.ts'
import { dtcChanges } from './v2/dtcs/query.ts'
import { dtcs } from './v2/dtcs/route.ts'
import { eventChanges } from './v2/events/read-pages.ts'
import { events } from './v2/events/route.ts'
import { incidentChanges } from './v2/incidents/incident.ts'
import { incidents } from './v2/incidents/route.ts'
import { ruleKinds } from './v2/rule-kinds/route.ts'
import { rulePreview } from './v2/rule-preview/route.ts'
import { ruleChanges } from './v2/rules/query.ts'
import { rules } from './v2/rules/route.ts'
import { tripExplanation } from './v2/trip-explanation/route.ts'
import { tripChanges } from './v2/trips/query.ts'
import { trips } from './v2/trips/route.ts'
import { vehicleSettings } from './v2/vehicle-settings/route.ts'
import { vehicles } from './v2/vehicles/route.ts'
import { vehicleChanges } from './v2/vehicles/vehicle-json.ts'

/** Every resource of the API; a new one is a folder and a line here. */
export const RESOURCES: readonly Resource[] = [
  devices,
  vehicles,
  vehicleSettings,
  addresses,
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
