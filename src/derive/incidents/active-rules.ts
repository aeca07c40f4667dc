import { ruleKindByName } from '../../catalogue/rule-kinds/index.ts'
import { type AreaIndex, areaIndexOf } from '../../model/areas/area-index.ts'
import { USUAL_PRESENCE } from '../../model/areas/presence.ts'
import { holdsAny, perLayout, type SampleLayout } from '../../model/sample.ts'
import { isIn, type TimeRange } from '../../model/time-range.ts'
import type { Json } from '../fold-part.ts'
import { type AreaVersion, areaIdsOf, type RuleBook, type RulesOfDevice, type RuleVersion } from '../rules/rule-book.ts'
import type { Detector } from './detector.ts'
import { KINDS } from './kinds/index.ts'

/** A rule that holds, ready to look at samples. */
export interface ActiveRule {
  readonly rule: RuleVersion
  readonly detector: Detector<Json>
  /** When it looks; undefined: always. */
  readonly appliesIn: RuleVersion['hours']
  /** Samples of a layout may begin something (`Detector.types`). */
  readonly mayBegin: (layout: SampleLayout) => boolean
}

/** The rules that hold for a car during a time. */
export interface RulesInForce extends TimeRange {
  readonly vehicleId: number
  /** Equal texts mean that the same versions of rules, and of the areas that they name, hold for the same car. */
  readonly identity: string
  readonly active: ActiveRules
}

/** Rules in the order of their ids. */
interface ActiveRules {
  readonly identity: string
  readonly rules: readonly ActiveRule[]
  /** The areas that they name; undefined if none does. */
  readonly areas: AreaIndex<AreaVersion> | undefined
}

/**
 * The rules that hold for a dongle at a time, and for how long at least.
 * @returns undefined where none holds
 */
export function rulesAt({ assignments }: RulesOfDevice, timeMs: number): RulesInForce | undefined {
  const assignment = assignments.find(each => isIn(each, timeMs))
  if (!assignment) return undefined
  const { vehicleId, book } = assignment
  const epoch = epochAt(book, timeMs)
  const ofVehicle = activeRulesOf(epoch, vehicleId)
  if (!ofVehicle) return undefined
  const fromMs = Math.max(epoch.fromMs, assignment.fromMs)
  const toMs = Math.min(epoch.toMs, assignment.toMs)
  return { fromMs, toMs, vehicleId, ...ofVehicle }
}

/** The version of a rule in any of the books of a dongle. */
export function ruleVersionIn(
  { assignments }: RulesOfDevice,
  ruleId: number,
  version: number,
): RuleVersion | undefined {
  for (const { book } of assignments) {
    const found = versionsOf(book).get(ruleId)?.get(version)
    if (found) return found
  }
  return undefined
}

type Versions = ReadonlyMap<number, ReadonlyMap<number, RuleVersion>>

const versionsByBook = new WeakMap<RuleBook, Versions>()

/** By id and version. */
function versionsOf(book: RuleBook): Versions {
  const known = versionsByBook.get(book)
  if (known) return known
  const versions = new Map<number, Map<number, RuleVersion>>()
  for (const rule of book.rules) {
    const ofRule = versions.get(rule.ruleId) ?? new Map<number, RuleVersion>()
    versions.set(rule.ruleId, ofRule.set(rule.version, rule))
  }
  versionsByBook.set(book, versions)
  return versions
}

const detectors = new WeakMap<RuleVersion, Detector<Json>>()

/** The detector of a rule, which all dongles share. */
export function detectorOf(rule: RuleVersion): Detector<Json> {
  const known = detectors.get(rule)
  if (known) return known
  const made = KINDS[rule.kind](rule)
  detectors.set(rule, made)
  return made
}

/** A time in which no version of a book begins or ends. */
interface Epoch extends TimeRange {
  readonly rules: readonly RuleVersion[]
  readonly areas: readonly AreaVersion[]
  /** By the rules that hold, and by vehicle. */
  readonly active: Map<string, ActiveRules>
  readonly byVehicle: Map<number, Pick<RulesInForce, 'identity' | 'active'> | undefined>
}

interface Epochs {
  /** Ascending: when versions begin and end. */
  readonly boundariesMs: readonly number[]
  readonly known: Map<number, Epoch>
  last: Epoch | undefined
}

const epochsByBook = new WeakMap<RuleBook, Epochs>()
/** An account that changes its areas all the time must not fill the memory with indexes of its past. */
const MOST_EPOCHS = 16

function epochAt(book: RuleBook, timeMs: number): Epoch {
  const epochs = epochsOf(book)
  if (epochs.last && isIn(epochs.last, timeMs)) return epochs.last
  const later = epochs.boundariesMs.findIndex(boundaryMs => boundaryMs > timeMs)
  const next = later < 0 ? epochs.boundariesMs.length : later
  const epoch = epochs.known.get(next) ?? epochOf(book, epochs.boundariesMs, next)
  if (!epochs.known.has(next)) {
    if (epochs.known.size >= MOST_EPOCHS) epochs.known.clear()
    epochs.known.set(next, epoch)
  }
  epochs.last = epoch
  return epoch
}

function epochsOf(book: RuleBook): Epochs {
  const known = epochsByBook.get(book)
  if (known) return known
  const named = book.rules.some(rule => areaIdsOf(rule)) ? book.areas : []
  const times = [...book.rules, ...named].flatMap(({ fromMs, toMs }) => [fromMs, toMs])
  const boundariesMs = [...new Set(times)].sort((a, b) => a - b)
  const epochs: Epochs = { boundariesMs, known: new Map(), last: undefined }
  epochsByBook.set(book, epochs)
  return epochs
}

function epochOf({ rules, areas }: RuleBook, boundariesMs: readonly number[], next: number): Epoch {
  const fromMs = boundariesMs[next - 1] ?? Number.NEGATIVE_INFINITY
  const toMs = boundariesMs[next] ?? Number.POSITIVE_INFINITY
  const holds = (version: TimeRange) =>
    version.fromMs <= fromMs && version.toMs >= toMs && version.fromMs < version.toMs
  return {
    fromMs,
    toMs,
    rules: rules.filter(holds).sort((a, b) => a.ruleId - b.ruleId),
    areas: areas.filter(holds),
    active: new Map(),
    byVehicle: new Map(),
  }
}

function activeRulesOf(epoch: Epoch, vehicleId: number): Pick<RulesInForce, 'identity' | 'active'> | undefined {
  if (epoch.byVehicle.has(vehicleId)) return epoch.byVehicle.get(vehicleId)
  const rules = epoch.rules.filter(({ vehicleIds }) => vehicleIds === null || vehicleIds.includes(vehicleId))
  const key = rules.map(({ ruleId }) => ruleId).join()
  const active = rules.length === 0 ? undefined : (epoch.active.get(key) ?? activeRules(rules, epoch.areas))
  if (active) epoch.active.set(key, active)
  const ofVehicle = active && { identity: `${vehicleId} ${active.identity}`, active }
  epoch.byVehicle.set(vehicleId, ofVehicle)
  return ofVehicle
}

function activeRules(rules: readonly RuleVersion[], areas: readonly AreaVersion[]): ActiveRules {
  const ids = rules.map(areaIdsOf)
  const named = areas.filter(({ areaId }) => ids.some(of => of && (of.length === 0 || of.includes(areaId))))
  const ofRules = rules.map(({ ruleId, version }) => `${ruleId}.${version}`).join()
  const ofAreas = named.map(({ areaId, version }) => `${areaId}.${version}`).join()
  return {
    identity: fingerprint(`${ofRules} ${ofAreas}`),
    rules: rules.map(activeRule),
    areas: ids.some(of => of) ? areaIndexOf(named, USUAL_PRESENCE.hysteresisM) : undefined,
  }
}

function activeRule(rule: RuleVersion): ActiveRule {
  const detector = detectorOf(rule)
  const { types } = detector
  const beginning = perLayout(layout => ({ isPossible: types === undefined || holdsAny(layout, types) }))
  return {
    rule,
    detector,
    appliesIn: ruleKindByName(rule.kind)?.hours === 'applies' ? rule.hours : null,
    mayBegin: layout => beginning(layout).isPossible,
  }
}

/** A short text that differs for different texts, but for once in 2^53 pairs. (The mixing is that of MurmurHash3.) */
function fingerprint(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}
