import type {
  Contradiction,
  DropReason,
  EvidenceSource,
  Interruption,
  LengthBasis,
  LengthMeasures,
  OdometerState,
} from '../../../derive/trips/retrace.ts'
import type * as rules from '../../../derive/trips/rules.ts'
import type { ClosingRule, OpeningRule } from '../../../derive/trips/state.ts'
import type { Language } from '../../replies.ts'
import TEXTS from './texts.json' with { type: 'json' }

export type Texts = Readonly<Record<Language, string>>

export type Remark =
  | 'merged'
  | 'vanished'
  | 'superseded'
  | 'pending'
  | 'samples gone'
  | 'different'
  | 'silent'
  | 'moved'
  | 'cut'
  | 'ignition doubted'

/** The phrases of each part of the file, of which some are words of the contract. */
interface Phrases {
  readonly openings: OpeningRule
  readonly closings: ClosingRule
  readonly interruptions: Interruption['kind']
  readonly drops: DropReason
  readonly bases: LengthBasis
  readonly measures: keyof LengthMeasures
  readonly odometers: OdometerState
  readonly contradictions: Contradiction
  readonly remarks: Remark
  /** Explanations list them in the order of the file. */
  readonly rules: keyof typeof rules
  /** The text of the speed by satellite is with its numbers. */
  readonly sources: Exclude<EvidenceSource, 'receiverSpeed'>
}

type TextsOf<Part extends keyof Phrases> = Readonly<Record<Phrases[Part], Texts>>

/** No text without a phrase: words of the contract are made from the keys. */
type NoOthers<Part extends keyof Phrases> = Readonly<Record<Exclude<keyof (typeof TEXTS)[Part], Phrases[Part]>, never>>

/** The compiler checks that each phrase has its texts, and each text its phrase. */
const CHECKED: { readonly [Part in keyof Phrases]: TextsOf<Part> } = TEXTS satisfies {
  readonly [Part in keyof Phrases]: TextsOf<Part> & NoOthers<Part>
}

export const OPENING_TEXTS = CHECKED.openings
export const CLOSING_TEXTS = CHECKED.closings
export const INTERRUPTION_TEXTS = CHECKED.interruptions
export const DROP_TEXTS = CHECKED.drops
export const BASIS_TEXTS = CHECKED.bases
export const MEASURE_TEXTS = CHECKED.measures
export const ODOMETER_TEXTS = CHECKED.odometers
export const CONTRADICTION_TEXTS = CHECKED.contradictions
export const REMARK_TEXTS = CHECKED.remarks
export const RULE_TEXTS = CHECKED.rules
export const SOURCE_TEXTS = CHECKED.sources
