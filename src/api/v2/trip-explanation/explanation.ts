import type { EventTypeId } from '../../../catalogue/event-types.ts'
import { hiddenEventTypes } from '../../../catalogue/permissions.ts'
import {
  errorM,
  type Interruption,
  type LengthBasis,
  type LengthMeasures,
  type TripAccount,
} from '../../../derive/trips/retrace.ts'

import { numbersOf, type RawSample, textsOf } from '../../../store/index.ts'
import type { Asked } from '../../context.ts'
import { camelFrame, camelHead, eventTemplates, valueJson } from '../../event-json.ts'
import type { Language } from '../../replies.ts'
import { selectTypes } from '../events/query.ts'
import type { RetracedTrip, StoredTrip } from './query.ts'
import { evidenceOf, rulesInForce } from './rules.ts'
import { type DecidingSample, type DistanceMeasure, type TripExplanation, wordOf } from './schema.ts'
import {
  BASIS_TEXTS,
  CLOSING_TEXTS,
  CONTRADICTION_TEXTS,
  DROP_TEXTS,
  INTERRUPTION_TEXTS,
  MEASURE_TEXTS,
  ODOMETER_TEXTS,
  OPENING_TEXTS,
  REMARK_TEXTS,
  type Remark,
  type Texts,
} from './texts.ts'

/** The parts of explanations that a caller may see, and their language. */
export interface ExplanationView {
  readonly language: Language
  /** Which event types may be shown. */
  readonly accept: (type: EventTypeId) => boolean
}

/** Measurements need the permission `events`, and places that for positions. */
export function explanationViewOf({
  language,
  caller,
}: Pick<Asked<unknown, unknown, unknown>, 'language' | 'caller'>): ExplanationView {
  const { accept } = selectTypes(undefined, hiddenEventTypes(caller.permissions))
  return { language, accept: type => caller.permissions.has('events') && accept(type) }
}

/** For a trip that was deleted or does not count: the trips that cover its time. */
export function deletedExplanation(trip: StoredTrip, coveredBy: readonly number[], view: ExplanationView) {
  const merged = coveredBy.length > 0 ? 'merged' : 'vanished'
  return {
    ...nothingKnown(trip, view.language),
    remarks: [REMARK_TEXTS[trip.supersededBy === null ? merged : 'superseded'][view.language]],
    coveredBy: coveredBy.map(String),
  }
}

export function explanationOf(trip: StoredTrip, retraced: RetracedTrip, view: ExplanationView): TripExplanation {
  const { language } = view
  const { account, checkpointMs } = retraced
  const common = {
    ...nothingKnown(trip, language),
    remarks: remarksOf(trip, retraced).map(remark => REMARK_TEXTS[remark][language]),
    workedOutFrom: checkpointMs === undefined ? null : instantText(checkpointMs),
  }
  if (!account) return common
  const { tally } = account
  return {
    ...common,
    state: account.trip.closed || isLeft(trip) ? 'ENDED' : trip.isOpen ? 'DRIVING' : 'MAY_GO_ON',
    ...endsOf(account, retraced, view),
    evidence: evidenceOf(account.evidence, language),
    samples: tally.samples,
    interruptions: [...tally.interruptions].sort((a, b) => a.fromMs - b.fromMs).map(item => shown(item, language)),
    distance: distanceOf(account, language),
    positions: {
      counted: tally.positions,
      relocations: tally.relocations,
      returns: tally.returns,
      dropped: phrasesOf(tally.dropped)
        .filter(([, count]) => count > 0)
        .map(([reason, count]) => ({ reason: wordOf(reason), description: DROP_TEXTS[reason][language], count })),
    },
  }
}

function nothingKnown(trip: StoredTrip, language: Language): TripExplanation {
  return {
    tripId: String(trip.id),
    state: trip.isDeleted ? 'DELETED' : trip.isOpen ? 'DRIVING' : 'ENDED',
    remarks: [],
    coveredBy: [],
    opened: null,
    closed: null,
    evidence: evidenceOf(new Map(), language),
    samples: 0,
    interruptions: [],
    distance: {
      counted: trip.isDeleted ? null : trip.metres / 1000,
      least: null,
      most: null,
      measures: [],
      contradictions: [],
      odometer: null,
      positions: null,
      difference: null,
      basis: null,
      description: '',
      odometerJumps: 0,
    },
    positions: { counted: 0, relocations: 0, returns: 0, dropped: [] },
    workedOutFrom: null,
    rules: rulesInForce(language),
  }
}

function remarksOf(trip: StoredTrip, { account, firstSample }: RetracedTrip): Remark[] {
  const remarks: Remark[] = []
  const isRight = account !== undefined && isAsStored(trip, account)
  if (trip.isPending) remarks.push('pending')
  else if (trip.isBeyondRetention || !firstSample) remarks.push('samples gone')
  else if (!isRight) remarks.push('different')
  if (account && !account.trip.closed && !trip.isOpen) remarks.push(isLeft(trip) ? 'moved' : 'silent')
  if (account?.tally.isIgnitionDoubted) remarks.push('ignition doubted')
  if (account && account.tally.moreInterruptions > 0) remarks.push('cut')
  return remarks
}

/** It may have gone on, but the dongle was put into another car. */
function isLeft({ isOpen, inCarToMs }: StoredTrip): boolean {
  return !isOpen && inCarToMs < Number.POSITIVE_INFINITY
}

function isAsStored(stored: StoredTrip, { trip }: TripAccount): boolean {
  return stored.endMs === trip.endMs && stored.metres === trip.distanceM && stored.seconds === trip.durationS
}

function endsOf(
  { trip }: TripAccount,
  { firstSample, lastSample }: RetracedTrip,
  { language, accept }: ExplanationView,
) {
  const { opened, closed } = trip
  const endOf = <Rule extends string>(rule: Rule, texts: Readonly<Record<Rule, Texts>>, sample: RawSample) => ({
    rule: wordOf(rule),
    description: texts[rule][language],
    sample: decidingSampleOf(sample, accept),
  })
  return {
    opened: firstSample ? endOf(opened.rule, OPENING_TEXTS, firstSample) : null,
    closed: closed && lastSample ? endOf(closed.rule, CLOSING_TEXTS, lastSample) : null,
  }
}

function shown({ kind, fromMs, toMs }: Interruption, language: Language): TripExplanation['interruptions'][number] {
  return {
    kind: wordOf(kind),
    description: INTERRUPTION_TEXTS[kind][language],
    fromTimestamp: instantText(fromMs),
    toTimestamp: instantText(toMs),
    seconds: (toMs - fromMs) / 1000,
  }
}

function phrasesOf<Phrase extends string, Value>(record: Readonly<Record<Phrase, Value>>): [Phrase, Value][] {
  return Object.entries(record) as [Phrase, Value][]
}

function instantText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

/** The length by each measure, which one counts, and the range in which the true length lies. */
function distanceOf(account: TripAccount, language: Language): TripExplanation['distance'] {
  const { trip, basis, range, tally } = account
  const { distanceM, odometerM, positionsM } = trip
  const isMeasured = basis !== 'nothing measured'
  return {
    counted: distanceM / 1000,
    least: isMeasured ? Math.floor(range.leastM) / 1000 : null,
    most: isMeasured ? Math.ceil(range.mostM) / 1000 : null,
    measures: measuresOf(account, language),
    contradictions: account.contradictions.map(kind => ({
      kind: wordOf(kind),
      description: CONTRADICTION_TEXTS[kind][language],
    })),
    odometer: odometerM === undefined ? null : odometerM / 1000,
    positions: positionsM === undefined ? null : positionsM / 1000,
    difference: odometerM === undefined || positionsM === undefined ? null : (odometerM - positionsM) / 1000,
    basis: wordOf(basis),
    description: BASIS_TEXTS[basis][language],
    odometerJumps: tally.odometerJumps,
  }
}

const COUNTING: Readonly<Record<LengthBasis, readonly (keyof LengthMeasures)[]>> = {
  odometer: ['odometer'],
  'odometer completed by positions': ['odometer', 'positions'],
  'positions, no odometer': ['positions'],
  'positions, odometer unchanged': ['positions'],
  'positions, odometer doubted': ['positions'],
  'speed over time': ['speed'],
  'nothing measured': [],
}

function measuresOf({ measures, basis, range }: TripAccount, language: Language): DistanceMeasure[] {
  return (Object.keys(MEASURE_TEXTS) as (keyof LengthMeasures)[]).flatMap(name => {
    const measure = measures[name]
    if (!measure) return []
    const differenceM = measure.metres - range.countedM
    const odometer = name === 'odometer' ? measures.odometer : undefined
    return {
      measure: wordOf(name),
      description: MEASURE_TEXTS[name][language],
      distance: kmOf(measure.metres),
      standardError: kmOf(measure.standardErrorM),
      systematicError: kmOf(measure.systematicM),
      difference: kmOf(differenceM),
      agrees: Math.abs(differenceM) <= errorM(measure),
      counts: COUNTING[basis].includes(name),
      odometer: odometer
        ? {
            shown: kmOf(odometer.shownM),
            verdict: wordOf(odometer.state),
            description: ODOMETER_TEXTS[odometer.state][language],
          }
        : null,
    }
  })
}

function kmOf(metres: number): number {
  return Math.round(metres) / 1000
}

/** A sample as a caller sees it. @param accept which event types the caller may see */
export function decidingSampleOf(raw: RawSample, accept: (type: EventTypeId) => boolean): DecidingSample {
  const recordedTimestamp = new Date(raw.timeMs).toISOString()
  const values = { numbers: numbersOf(raw), texts: textsOf(raw) }
  const head = camelHead(raw.deviceId, recordedTimestamp)
  const events = eventTemplates(
    camelFrame,
    accept,
  )(raw.layout).slots.flatMap(slot => {
    const json = valueJson(slot, values)
    return json === undefined ? [] : [head + slot.before + json + slot.after]
  })
  return { recordedTimestamp, events: JSON.parse(`[${events.join(',')}]`) as DecidingSample['events'] }
}
