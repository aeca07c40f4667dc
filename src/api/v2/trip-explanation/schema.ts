import { type Static, type TEnum, Type } from 'typebox'
import type { EvidenceSource } from '../../../derive/trips/retrace.ts'
import { instant } from '../../schemas.ts'
import { LastEvent } from '../vehicles.ts'
import {
  BASIS_TEXTS,
  CLOSING_TEXTS,
  CONTRADICTION_TEXTS,
  DROP_TEXTS,
  INTERRUPTION_TEXTS,
  MEASURE_TEXTS,
  ODOMETER_TEXTS,
  OPENING_TEXTS,
} from './texts.ts'

/** Sources of evidence as words of the contract: those that decide before others come first. */
export const SOURCE_WORDS = {
  ignition: 'IGNITION',
  engine: 'ENGINE',
  carSpeed: 'CAR_SPEED',
  receiverSpeed: 'RECEIVER_SPEED',
  unmovedFix: 'UNMOVED_POSITION',
  stillOdometer: 'STILL_ODOMETER',
  isMoving: 'MOTION_SENSOR',
  droveOn: 'DROVE_ON',
} as const satisfies Readonly<Record<EvidenceSource, string>>

type Word<Phrase extends string> = Phrase extends `${infer Head}, ${infer Tail}`
  ? Word<`${Head} ${Tail}`>
  : Phrase extends `${infer Head} ${infer Tail}`
    ? `${Uppercase<Head>}_${Word<Tail>}`
    : Uppercase<Phrase>

/** A phrase as a word of the contract's enumerations: `ignition off` is IGNITION_OFF. */
export function wordOf<Phrase extends string>(phrase: Phrase): Word<Phrase> {
  return phrase.replaceAll(/,? /g, '_').toUpperCase() as Word<Phrase>
}

function words<Phrase extends string>(texts: Readonly<Record<Phrase, unknown>>): TEnum<Word<Phrase>[]> {
  return Type.Enum(Object.keys(texts).map(phrase => wordOf(phrase as Phrase)))
}

const description = Type.String({ description: 'The same in words, in the language of the reply.' })
const seconds = Type.Number({ description: 'Seconds from one to the other.', examples: [42.5] })
const kilometres = (what: string) =>
  Type.Union([Type.Number(), Type.Null()], { description: `${what}; null where it was not measured.` })

export const DecidingSample = Type.Object(
  {
    recordedTimestamp: instant('When it was measured.'),
    events: Type.Array(LastEvent, {
      description:
        'What was measured then, by event type. Empty without the permission `events`; without `positions`, nothing of a place.',
    }),
  },
  { title: 'DecidingSample', description: 'The measurements of one instant.' },
)
export type DecidingSample = Static<typeof DecidingSample>

const Interruption = Type.Object(
  {
    kind: words(INTERRUPTION_TEXTS),
    description,
    fromTimestamp: instant('When it began.'),
    toTimestamp: instant('When it was over.'),
    seconds,
  },
  { title: 'TripInterruption' },
)

const Evidence = Type.Object(
  {
    witness: Type.Enum(Object.values(SOURCE_WORDS)),
    weight: Type.Union([Type.Number(), Type.Null()], {
      description:
        'How much it counts against the others: the car drives when those that say so have the greater sum. null for who decides before the others, or only where they do not.',
      examples: [3],
    }),
    freshSeconds: Type.Union([Type.Number(), Type.Null()], {
      description:
        'For how long it counts after it was measured; 0: only at that instant. null: until it says something else.',
      examples: [60],
    }),
    description: Type.String({ description: 'What it says, in the language of the reply.' }),
    saidAtBegin: Type.Union([Type.Enum(['DRIVES', 'STANDS']), Type.Null()], {
      description: 'With the measurements that began the trip; null when it said nothing, or that is no longer known.',
    }),
  },
  { title: 'TripEvidence', description: 'Who tells whether the car is driven.' },
)
export type Evidence = Static<typeof Evidence>

const DistanceMeasure = Type.Object(
  {
    measure: words(MEASURE_TEXTS),
    description,
    distance: Type.Number({ description: 'In km.', examples: [12.34] }),
    standardError: Type.Number({ description: 'By chance, in km: one standard error.', examples: [0.05] }),
    systematicError: Type.Number({
      description: 'By how much it may be wrong all the time, such as by tyres, in km.',
      examples: [0.25],
    }),
    difference: Type.Number({ description: 'Less what counts, in km.', examples: [-0.12] }),
    agrees: Type.Boolean({
      description: 'What counts is within its error: two standard errors and the systematic one.',
    }),
    counts: Type.Boolean({ description: 'What counts rests on it.' }),
    odometer: Type.Union(
      [
        Type.Object({
          shown: Type.Number({ description: 'As its instrument shows it, in its own unit.', examples: [7.6] }),
          verdict: words(ODOMETER_TEXTS),
          description,
        }),
        Type.Null(),
      ],
      { description: 'Of the odometer: what it shows and whether it is believed; else null.' },
    ),
  },
  { title: 'TripDistanceMeasure' },
)
export type DistanceMeasure = Static<typeof DistanceMeasure>

const RuleInForce = Type.Object(
  {
    name: Type.String({ examples: ['IGNITION_PAUSE_MS'] }),
    value: Type.Number({ examples: [120000] }),
    unit: Type.String({ description: 'Empty for a count or a ratio.', examples: ['ms'] }),
    description: Type.String({ description: 'What it is for.' }),
  },
  { title: 'TripRule' },
)
export type RuleInForce = Static<typeof RuleInForce>

/** Why a trip is as it is (beyond the original document). */
export const TripExplanation = Type.Object(
  {
    tripId: Type.String({ examples: ['4711'] }),
    state: Type.Enum(['DRIVING', 'MAY_GO_ON', 'ENDED', 'DELETED'], {
      description: 'MAY_GO_ON: in a pause, or without measurements for a while; later measurements may continue it.',
    }),
    remarks: Type.Array(Type.String(), { description: 'What to know before believing the rest; mostly empty.' }),
    coveredBy: Type.Array(Type.String(), {
      description: 'Of a deleted trip: the trips that cover its time now, earliest first. Else empty.',
    }),
    opened: Type.Union(
      [Type.Object({ rule: words(OPENING_TEXTS), description, sample: DecidingSample }), Type.Null()],
      { description: 'What began it; null where that is no longer known.' },
    ),
    closed: Type.Union(
      [Type.Object({ rule: words(CLOSING_TEXTS), description, sample: DecidingSample }), Type.Null()],
      { description: 'What ended it; null while it may still go on, and where that is no longer known.' },
    ),
    evidence: Type.Array(Evidence, {
      description: 'Who tells whether the car is driven, and what each said when the trip began.',
    }),
    samples: Type.Integer({ description: 'Instants of the trip with measurements.', examples: [312] }),
    interruptions: Type.Array(Interruption, {
      description:
        'Pauses that did not end the trip, times that it stood with the ignition on, and times of half a minute and more without any measurement or without a position, by begin.',
    }),
    distance: Type.Object(
      {
        counted: kilometres('What counts, in km'),
        least: kilometres('The truth lies between this and `most` 19 times of 20, in km'),
        most: kilometres('The truth lies between `least` and this 19 times of 20, in km'),
        measures: Type.Array(DistanceMeasure, {
          description: 'All that measured it, and how each differs from what counts.',
        }),
        contradictions: Type.Array(Type.Object({ kind: words(CONTRADICTION_TEXTS), description }), {
          description:
            'Measures that differ by more than their errors, and which of them is not believed; mostly empty.',
        }),
        odometer: kilometres('By the odometer alone, in km'),
        positions: kilometres('By positions alone, in km'),
        difference: kilometres('Odometer less positions, in km'),
        basis: Type.Union([words(BASIS_TEXTS), Type.Null()], {
          description: 'What counts and why; null where that is no longer known.',
        }),
        description,
        odometerJumps: Type.Integer({
          description: 'How often the odometer went backwards or leapt; what lies across counts by positions.',
        }),
      },
      { title: 'TripDistance' },
    ),
    positions: Type.Object(
      {
        counted: Type.Integer({ description: 'Positions that the length and the route follow.' }),
        relocations: Type.Integer({
          description: 'How often the car appeared elsewhere; the way there is not counted.',
        }),
        returns: Type.Integer({
          description: 'How often it turned out never to have left; what was elsewhere is not counted.',
        }),
        dropped: Type.Array(Type.Object({ reason: words(DROP_TEXTS), description, count: Type.Integer() }), {
          description: 'Positions that do not count, by reason.',
        }),
      },
      { title: 'TripPositions' },
    ),
    workedOutFrom: Type.Union([instant('The state kept then was where this answer began.'), Type.Null()], {
      description: 'null when it began at the first measurement of the device.',
    }),
    rules: Type.Array(RuleInForce, { description: 'The values by which trips are told apart.' }),
  },
  { title: 'TripExplanation' },
)
export type TripExplanation = Static<typeof TripExplanation>
