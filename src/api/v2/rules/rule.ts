import { ruleKindByName } from '../../../catalogue/rule-kinds/index.ts'
import { writtenHours } from '../../../fleet/rules/read-rule.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import type { AskedRow, RuleRow, VersionRow } from './query.ts'

/** A rule as clients see it. */
export function ruleOf({ id, name, created, deleted, modified, ...asked }: RuleRow) {
  return {
    id: String(id),
    name,
    ...askedOf(asked),
    createdTimestamp: millisecondText(created),
    deleteTimestamp: deleted === null ? null : millisecondText(deleted),
    modifyTimestamp: modified,
  }
}

export function versionOf({ to, saved, savedBy, ...asked }: VersionRow) {
  return {
    ...askedOf(asked),
    toTimestamp: to === 'infinity' ? null : millisecondText(to),
    savedTimestamp: millisecondText(saved),
    savedBy,
  }
}

function askedOf({ version, kind, parameters, severity, vehicleIds, hours, from }: AskedRow) {
  const areas = ruleKindByName(kind)?.parameters.filter(({ type }) => type === 'areas') ?? []
  return {
    version,
    kind,
    // Areas have ids as texts.
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        areas.some(area => area.name === name) && Array.isArray(value) ? value.map(String) : value,
      ]),
    ),
    severity,
    vehicleIds,
    hours: hours && writtenHours(hours),
    fromTimestamp: millisecondText(from),
  }
}
