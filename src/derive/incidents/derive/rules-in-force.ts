import type { EventTypeId } from '../../../catalogue/event-types.ts'
import { ruleKindByName } from '../../../catalogue/rule-kinds/index.ts'
import { type AreaIndex, areaIndexOf } from '../../../model/areas/area-index.ts'
import { USUAL_PRESENCE } from '../../../model/areas/presence.ts'
import { perLayout, SampleLayout } from '../../../model/sample.ts'
import { isIn, type TimeRange } from '../../../model/time-range.ts'
import type { Json } from '../../fold-part.ts'
import type { Detector } from './detector.ts'
import { fingerprint } from './fingerprint.ts'
import { KINDS } from './kinds/index.ts'
import { type AreaVersion, areaIdsOf, type RuleBook, type RulesOfDevice, type RuleVersion } from './rule-book.ts'

/** A rule that holds, ready to look at samples. */
export interface ActiveRule {
  readonly rule: RuleVersion
  readonly detector: Detector<Json>
  /** When it looks; undefined: always. */
  readonly appliesIn: RuleVersion['hours']
}

/** A rule, and what samples of a layout are to it. */
interface Hearing {
  /** Of the rule among those in force. */
  readonly index: number
  readonly each: ActiveRule
  /** Whether they can begin something, unless nothing came for longer than that. */
  readonly isHeeded: boolean
  readonly withinMs: number
  /** What must be true of the sample (`beginsOnly` and `occasion` of a detector), as a sum of `NEEDS`. */
  readonly needs: number
  readonly aboveKmh: number
}

/** What must be true of a sample for something to begin at it. Bits, so that one look tells of all. */
export const NEEDS = {
  /** Near an area that a rule names. */
  inArea: 1,
  standing: 2,
  ignitionOff: 4,
} as const

/** The rules that hold for a car during a time. */
export interface RulesInForce extends TimeRange {
  readonly vehicleId: number
  /** Equal texts mean that the same versions of rules, and of the areas that they name, hold for the same car. */
  readonly identity: string
  readonly active: ActiveRules
}

/** What samples of a layout are to the rules. */
interface Heeding {
  readonly all: readonly Hearing[]
  /** Those that matter while something is going on, unless the dongle was silent for longer than `deafMs`, or is unplugged. */
  readonly usual: readonly Hearing[]
  readonly deafMs: number
  /** Those by which such a sample can begin something. */
  readonly heeded: readonly Hearing[]
}

/** Rules in the order of their ids. */
interface ActiveRules {
  readonly identity: string
  readonly rules: readonly ActiveRule[]
  /** The areas that they name; undefined if none does. */
  readonly areas: AreaIndex<AreaVersion> | undefined
  /** For a layout of samples: which of the rules it concerns. */
  heeding(layout: SampleLayout): Heeding
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

/** The detector of a rule: the same for all dongles, because it keeps nothing of what it sees but what it need not work out again. */
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
  const next = firstAfter(epochs.boundariesMs, timeMs)
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

/** The index of the first boundary after an instant. */
function firstAfter(boundariesMs: readonly number[], timeMs: number): number {
  let [from, to] = [0, boundariesMs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((boundariesMs[middle] ?? 0) <= timeMs) from = middle + 1
    else to = middle
  }
  return from
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
  const active = rules.map(
    (rule): ActiveRule => ({
      rule,
      detector: detectorOf(rule),
      appliesIn: ruleKindByName(rule.kind)?.hours === 'applies' ? rule.hours : null,
    }),
  )
  const versions = (of: readonly string[]) => of.join()
  const heeding = perLayout(({ types }): Heeding => {
    const all = active.map((each, index) => ({ index, each, ...beginningOf(each.detector, types) }))
    const deaf = all.filter(({ each, isHeeded }) => !isHeeded && each.detector.isDeafToOthers && !each.appliesIn)
    return {
      all,
      usual: all.filter(hearing => !deaf.includes(hearing)),
      deafMs: Math.min(...deaf.map(({ each }) => each.detector.longestGapMs)),
      heeded: all.filter(({ isHeeded }) => isHeeded),
    }
  })
  return {
    identity: fingerprint(
      `${versions(rules.map(({ ruleId, version }) => `${ruleId}.${version}`))} ${versions(named.map(({ areaId, version }) => `${areaId}.${version}`))}`,
    ),
    rules: active,
    areas: ids.some(of => of) ? areaIndexOf(named, USUAL_PRESENCE.hysteresisM) : undefined,
    heeding,
  }
}

function beginningOf(
  { begins, beginsLate, beginsOnly, occasion }: Detector<Json>,
  types: readonly EventTypeId[],
): Omit<Hearing, 'index' | 'each'> {
  const isHeeded = begins === undefined || begins.some(type => types.includes(type))
  const isLimited = beginsLate && !beginsLate.types.some(type => types.includes(type))
  return {
    isHeeded,
    withinMs: isLimited ? beginsLate.afterMs : Number.POSITIVE_INFINITY,
    needs:
      (occasion?.isInArea ? NEEDS.inArea : 0) |
      (beginsOnly?.motion === 'standing' ? NEEDS.standing : 0) |
      (beginsOnly?.isIgnitionOff ? NEEDS.ignitionOff : 0),
    aboveKmh: beginsOnly?.aboveKmh ?? Number.NEGATIVE_INFINITY,
  }
}
