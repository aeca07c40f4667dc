import type { RuleKindName } from '../../../../catalogue/rule-kinds/index.ts'
import type { KindOfRule } from '../detector.ts'
import { crash } from './crash.ts'
import { harshAcceleration, harshBraking, harshCornering } from './harsh.ts'
import { idling } from './idling.ts'
import { charged, fuelLost, refuelled } from './levels.ts'
import { lowBattery } from './low-battery.ts'
import { offline } from './offline.ts'
import { outsideAreas } from './outside-areas.ts'
import { malfunctionIndicatorOn, unplugged } from './said.ts'
import { serviceDueByCar, serviceDueHours, serviceDueKm } from './service-due.ts'
import { serviceDueDate } from './service-due-date.ts'
import { speeding } from './speeding.ts'
import { speedingInArea } from './speeding-in-area.ts'
import { engineHot, valueAbove, valueBelow } from './threshold.ts'
import { towed } from './towed.ts'
import { troubleCode } from './trouble-code.ts'
import { usedOutsideHours } from './used-outside-hours.ts'
import { areaEntered, areaLeft, areaStayed } from './visits.ts'

/** What each kind of rule looks for. */
export const KINDS: Readonly<Record<RuleKindName, KindOfRule>> = {
  AREA_ENTERED: areaEntered,
  AREA_LEFT: areaLeft,
  AREA_STAYED: areaStayed,
  OUTSIDE_AREAS: outsideAreas,
  SPEEDING_IN_AREA: speedingInArea,
  SPEEDING: speeding,
  IDLING: idling,
  HARSH_ACCELERATION: harshAcceleration,
  HARSH_BRAKING: harshBraking,
  HARSH_CORNERING: harshCornering,
  CRASH: crash,
  USED_OUTSIDE_HOURS: usedOutsideHours,
  TOWED: towed,
  REFUELLED: refuelled,
  FUEL_LOST: fuelLost,
  CHARGED: charged,
  LOW_BATTERY: lowBattery,
  ENGINE_HOT: engineHot,
  TROUBLE_CODE: troubleCode,
  MIL_ON: malfunctionIndicatorOn,
  SERVICE_DUE: serviceDueByCar,
  SERVICE_DUE_KM: serviceDueKm,
  SERVICE_DUE_HOURS: serviceDueHours,
  SERVICE_DUE_DATE: serviceDueDate,
  VALUE_ABOVE: valueAbove,
  VALUE_BELOW: valueBelow,
  UNPLUGGED: unplugged,
  OFFLINE: offline,
}
