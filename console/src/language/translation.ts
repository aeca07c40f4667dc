// Which texts a translation has: those of every place, in the form of the English ones.
import type { accountTexts } from '../account/texts.ts'
import type { addDongleTexts } from '../add-dongle/texts.ts'
import type { operationTexts } from '../administration/operation/texts.ts'
import type { securityLogTexts } from '../administration/security-log/texts.ts'
import type { administrationTexts } from '../administration/texts.ts'
import type { areaTexts } from '../areas/texts.ts'
import type { baseMapTexts } from '../base-map/texts.ts'
import type { calendarTexts } from '../calendar/texts.ts'
import type { historyTexts } from '../car/history/texts.ts'
import type { carTexts } from '../car/texts.ts'
import type { deviceTexts } from '../devices/texts.ts'
import type { dialogTexts } from '../dialog/texts.ts'
import type { exportTexts } from '../export/texts.ts'
import type { faultsTexts } from '../faults/texts.ts'
import type { carSelectTexts } from '../fleet/car-select-texts.ts'
import type { stateTexts } from '../fleet/state-texts.ts'
import type { incidentsTexts } from '../incidents/texts.ts'
import type { liveTexts } from '../live/texts.ts'
import type { mapTexts } from '../map/texts.ts'
import type { eventTypeTexts } from '../measurements/event-type-names.ts'
import type { groupTexts } from '../measurements/groups.ts'
import type { batteryStateTexts, valueTexts } from '../measurements/texts.ts'
import type { routeMapTexts } from '../route-map/texts.ts'
import type { rulesTexts } from '../rules/texts.ts'
import type { loginTexts } from '../session/texts.ts'
import type { shellTexts } from '../shell/texts.ts'
import type { stateTexts as pageStateTexts } from '../states/texts.ts'
import type { statisticsTexts } from '../statistics/texts.ts'
import type { tableTexts } from '../table/texts.ts'
import type { explanationTexts } from '../trip/explanation/texts.ts'
import type { tripTexts } from '../trip/texts.ts'
import type { tripsTexts } from '../trips/texts.ts'

/** Everything that the console says, by place. A language that lacks a text, or has one too many, does not compile. */
export interface Translation {
  readonly account: (typeof accountTexts)['en']
  readonly addDongle: (typeof addDongleTexts)['en']
  readonly administration: (typeof administrationTexts)['en']
  readonly area: (typeof areaTexts)['en']
  readonly baseMap: (typeof baseMapTexts)['en']
  readonly batteryStates: (typeof batteryStateTexts)['en']
  readonly calendar: (typeof calendarTexts)['en']
  readonly car: (typeof carTexts)['en']
  readonly carSelect: (typeof carSelectTexts)['en']
  readonly carState: (typeof stateTexts)['en']
  readonly device: (typeof deviceTexts)['en']
  readonly dialog: (typeof dialogTexts)['en']
  readonly eventTypes: (typeof eventTypeTexts)['en']
  readonly explanation: (typeof explanationTexts)['en']
  readonly export: (typeof exportTexts)['en']
  readonly faults: (typeof faultsTexts)['en']
  readonly history: (typeof historyTexts)['en']
  readonly incidents: (typeof incidentsTexts)['en']
  readonly live: (typeof liveTexts)['en']
  readonly login: (typeof loginTexts)['en']
  readonly map: (typeof mapTexts)['en']
  readonly measurementGroups: (typeof groupTexts)['en']
  readonly operation: (typeof operationTexts)['en']
  readonly pageState: (typeof pageStateTexts)['en']
  readonly routeMap: (typeof routeMapTexts)['en']
  readonly rules: (typeof rulesTexts)['en']
  readonly securityLog: (typeof securityLogTexts)['en']
  readonly shell: (typeof shellTexts)['en']
  readonly statistics: (typeof statisticsTexts)['en']
  readonly table: (typeof tableTexts)['en']
  readonly trip: (typeof tripTexts)['en']
  readonly trips: (typeof tripsTexts)['en']
  readonly values: (typeof valueTexts)['en']
}
