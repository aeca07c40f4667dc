import { createHash } from 'node:crypto'
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
  /** The same as they look at samples of a layout: these may begin something, or not (`Detector.types`). */
  readonly rulesFor: (layout: SampleLayout) => readonly (ActiveRule & { readonly mayBegin: boolean })[]
  /** The areas that they name; undefined if none does. */
  readonly areas: AreaIndex<AreaVersion> | undefined
}

/** The rules that hold for a dongle at a time, and for how long at least; undefined where none holds. */
export function rulesAt({ assignments }: RulesOfDevice, timeMs: number): RulesInForce | undefined {
  const assignment = assignments.find(each => isIn(each, timeMs))
  if (!assignment) return undefined
  const { vehicleId, book } = assignment
  const epoch = epochAt(book, timeMs)
  const active = activeRulesOf(epoch, vehicleId)
  if (!active) return undefined
  const fromMs = Math.max(epoch.fromMs, assignment.fromMs)
  const toMs = Math.min(epoch.toMs, assignment.toMs)
  return { fromMs, toMs, vehicleId, identity: `${vehicleId} ${active.identity}`, active }
}

/** The version of a rule in any of the books of a dongle. */
export function ruleVersionIn(
  { assignments }: RulesOfDevice,
  ruleId: number,
  version: number,
): RuleVersion | undefined {
  for (const { book } of assignments) {
    const found = versionsOf(book).get(`${ruleId}.${version}`)
    if (found) return found
  }
  return undefined
}

const versionsByBook = new WeakMap<RuleBook, ReadonlyMap<string, RuleVersion>>()

function versionsOf(book: RuleBook): ReadonlyMap<string, RuleVersion> {
  const known = versionsByBook.get(book)
  if (known) return known
  const versions = new Map(book.rules.map(rule => [`${rule.ruleId}.${rule.version}`, rule]))
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
  /** By the ids of the rules that hold for a vehicle: most vehicles share them, and with them the index of the areas. */
  readonly active: Map<string, ActiveRules>
  /** By vehicle; undefined where no rule holds. */
  readonly ofVehicle: Map<number, ActiveRules | undefined>
}

interface Epochs {
  /** Ascending: when versions begin and end. */
  readonly boundariesMs: readonly number[]
  readonly known: Map<number, Epoch>
}

const epochsByBook = new WeakMap<RuleBook, Epochs>()
/** An account that changes its areas all the time must not fill the memory with indexes of its past. */
const MOST_EPOCHS = 16

function epochAt(book: RuleBook, timeMs: number): Epoch {
  const { boundariesMs, known } = epochsOf(book)
  const later = boundariesMs.findIndex(boundaryMs => boundaryMs > timeMs)
  const next = later < 0 ? boundariesMs.length : later
  const epoch = known.get(next) ?? epochOf(book, boundariesMs, next)
  if (!known.has(next) && known.size >= MOST_EPOCHS) known.clear()
  known.set(next, epoch)
  return epoch
}

function epochsOf(book: RuleBook): Epochs {
  const known = epochsByBook.get(book)
  if (known) return known
  const named = book.rules.some(rule => areaIdsOf(rule)) ? book.areas : []
  const times = [...book.rules, ...named].flatMap(({ fromMs, toMs }) => [fromMs, toMs])
  const epochs: Epochs = { boundariesMs: [...new Set(times)].sort((a, b) => a - b), known: new Map() }
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
    ofVehicle: new Map(),
  }
}

function activeRulesOf(epoch: Epoch, vehicleId: number): ActiveRules | undefined {
  if (epoch.ofVehicle.has(vehicleId)) return epoch.ofVehicle.get(vehicleId)
  const rules = epoch.rules.filter(({ vehicleIds }) => vehicleIds === null || vehicleIds.includes(vehicleId))
  const key = rules.map(({ ruleId }) => ruleId).join()
  const active = rules.length === 0 ? undefined : (epoch.active.get(key) ?? activeRules(rules, epoch.areas))
  if (active) epoch.active.set(key, active)
  epoch.ofVehicle.set(vehicleId, active)
  return active
}

function activeRules(rules: readonly RuleVersion[], areas: readonly AreaVersion[]): ActiveRules {
  const ids = rules.map(areaIdsOf)
  const named = areas.filter(({ areaId }) => ids.some(of => of && (of.length === 0 || of.includes(areaId))))
  const ofRules = rules.map(({ ruleId, version }) => `${ruleId}.${version}`).join()
  const ofAreas = named.map(({ areaId, version }) => `${areaId}.${version}`).join()
  const active = rules.map(activeRule)
  return {
    identity: createHash('sha256').update(`${ofRules} ${ofAreas}`).digest('base64url').slice(0, 12),
    rules: active,
    rulesFor: perLayout(layout =>
      active.map(each => {
        const { types } = each.detector
        return { ...each, mayBegin: types === undefined || holdsAny(layout, types) }
      }),
    ),
    areas: ids.some(of => of) ? areaIndexOf(named, USUAL_PRESENCE.hysteresisM) : undefined,
  }
}

function activeRule(rule: RuleVersion): ActiveRule {
  const hasHours = ruleKindByName(rule.kind)?.hours === 'applies'
  return { rule, detector: detectorOf(rule), appliesIn: hasHours ? rule.hours : null }
}
