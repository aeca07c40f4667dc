import type { RuleKindName } from '../../../catalogue/rule-kinds/index.ts'
import type { KindOfRule } from '../detector.ts'
import { areaEntered, areaLeft, areaStayed, outsideAreas } from './areas.ts'
import { crash, harshAcceleration, harshBraking, harshCornering } from './jolts.ts'
import { charged, fuelLost, refuelled } from './levels.ts'
import { offline } from './offline.ts'
import { serviceDueByCar, serviceDueDate, serviceDueHours, serviceDueKm } from './service-due.ts'
import { speeding, speedingInArea } from './speeding.ts'
import { troubleCode } from './trouble-code.ts'
import { idling, towed, usedOutsideHours } from './use.ts'
import { engineHot, lowBattery, malfunctionIndicatorOn, unplugged, valueAbove, valueBelow } from './values.ts'

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
