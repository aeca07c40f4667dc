import { assignmentAt } from '../../device-records.ts'
import type { ItemStretch } from '../../fact.ts'
import type { IncidentItem } from '../derive/finding.ts'
import { KINDS } from '../derive/kinds/index.ts'
import { type RulesOfDevice, type RuleVersion } from '../derive/rule-book.ts'
import { ruleVersionIn } from '../derive/rules-in-force.ts'
import type { Incident } from './stored-incidents.ts'

/** Longer than any dongle is silent; `integer` has room for it. */
const NEVER_S = 2_000_000_000

const NONE: readonly Incident[] = []

/**
 * The incidents that follow from the items of a stretch, each in the car in which the dongle was when it began. Without an assignment, an
 * item belongs to nobody.
 */
export function incidentsOf({ device, items }: Pick<ItemStretch, 'device' | 'items'>): readonly Incident[] {
  if (items.length === 0) return NONE
  const incidents: Incident[] = []
  for (const { item, decidedMs } of items) {
    const assignment = assignmentAt(device, item.startMs)
    if (!assignment) continue
    // The fold makes items of this form only.
    const found = item as IncidentItem
    incidents.push({
      deviceId: device.deviceId,
      accountId: assignment.accountId,
      vehicleId: assignment.vehicleId,
      ruleId: found.ruleId,
      startMs: found.startMs,
      areaId: found.areaId ?? 0,
      detail: found.detail ?? '',
      ruleVersion: found.ruleVersion,
      kind: found.kind,
      severity: found.severity,
      endMs: found.endMs,
      decidedMs,
      longestGapS: longestGapS(device.rules, found),
      peak: found.peak,
      peakMs: found.peakMs,
      startLongitude: found.startLongitude,
      startLatitude: found.startLatitude,
      endLongitude: found.endLongitude,
      endLatitude: found.endLatitude,
      hasOdometer: found.hasOdometer,
    })
  }
  return incidents
}

const gapsS = new WeakMap<RuleVersion, number>()

/** If nothing comes for longer, what the rule found is over. */
function longestGapS(rules: RulesOfDevice, { ruleId, ruleVersion }: IncidentItem): number {
  const rule = ruleVersionIn(rules, ruleId, ruleVersion)
  if (!rule) return NEVER_S
  const known = gapsS.get(rule)
  if (known !== undefined) return known
  const gapS = Math.min(NEVER_S, Math.ceil(KINDS[rule.kind](rule).longestGapMs / 1000))
  gapsS.set(rule, gapS)
  return gapS
}
