import type { EventTypeId } from '../../../catalogue/event-types.ts'
import type { Json } from '../../fold-part.ts'
import type { Finding } from './finding.ts'
import type { Moment } from './moment.ts'
import type { Packing } from './packing.ts'
import type { RuleVersion } from './rule-book.ts'
import type { Situation } from './situation.ts'

/** What a step makes of a state: null while nothing is going on, and findings that later samples can not change. */
export interface Stepped<State extends Json> {
  readonly state: State | null
  readonly done: readonly Finding[]
}

const NO_FINDINGS: readonly Finding[] = []

/** Nothing is going on, and nothing was found. */
export const NOTHING: Stepped<never> = { state: null, done: NO_FINDINGS }

/** It goes on, and nothing has ended. What this returns is written over the next time: it is the most frequent answer by far. */
export function goesOn<State extends Json>(state: State): Stepped<State> {
  GOES_ON.state = state
  // Nobody else writes it.
  return GOES_ON as Stepped<State>
}

const GOES_ON: { state: Json; readonly done: readonly Finding[] } = { state: null, done: NO_FINDINGS }

/** What a sample must have for something to begin at it: one of these types, of a NUMBER or BOOLEAN with a value in the range. */
export interface Occasion {
  readonly types: readonly EventTypeId[]
  /** Only a greater value; a BOOLEAN is 0 or 1. */
  readonly above?: number
  /** Only a lesser value. */
  readonly below?: number
  /** Only in an area that the rule names: the type is POSITION. */
  readonly isInArea?: true
  /**
   * Only where the car was moved since a sample before, and none between them, nor these two, shows that somebody drives it: of one of the
   * lists, the first type that the sample has is above 0 and below the bound. The type is POSITION.
   */
  readonly moved?: {
    readonly leastM: number
    readonly shownBy: readonly { readonly types: readonly EventTypeId[]; readonly below?: number }[]
  }
  /**
   * What a detector looks at besides the sample: the place alone, or also whether the car moves. Where it is all, other samples change
   * what is going on, too, but nothing is found in a history without such a sample.
   */
  readonly needs: 'place' | 'motion' | 'all'
}

/** What must be true of a sample for something to begin at it, where most samples are not like that: to look at it costs less than to ask. */
interface Beginning {
  readonly motion?: 'standing'
  /** Nobody says that it is on. */
  readonly isIgnitionOff?: true
  /** The speed that is told, by the car or else by the receiver, is greater. */
  readonly aboveKmh?: number
}

/** Notices what one rule asks for. Pure: its states are plain JSON. */
export interface Detector<State extends Json> {
  /**
   * Event types without any of which a sample begins nothing; undefined: each sample is looked at. It reads values of no others, besides those
   * that the situation is made of.
   */
  readonly begins: readonly EventTypeId[] | undefined
  /** After so long a time without samples, only one with any of these types begins something. */
  readonly beginsLate?: { readonly afterMs: number; readonly types: readonly EventTypeId[] } | undefined
  readonly beginsOnly?: Beginning | undefined
  /** More closely, for whoever reads only samples that matter; undefined where each may. */
  readonly occasion?: Occasion | undefined
  /** Samples without any of these change nothing of what is going on, either. */
  readonly isDeafToOthers?: boolean
  /** What is going on ends with the last sample before a longer silence. */
  readonly longestGapMs: number
  /** It also looks at samples of a dongle out of its socket. */
  readonly isOfDongle?: boolean
  /** How a state is stored; by default as it is. */
  readonly packing?: Packing<State> | undefined
  step(state: State | null, moment: Moment): Stepped<State>
  /** What is going on. */
  goingOn(state: State): readonly Finding[]
  /** What is left of a state that ends with the last sample. */
  end(state: State, last: Situation): readonly Finding[]
  /** What is going on if nothing came until an instant; only of kinds about silence. */
  silent?(state: State, nowMs: number): readonly Finding[]
}

/** A kind of rule makes a detector of each rule. */
export type KindOfRule = (rule: RuleVersion) => Detector<Json>

/**
 * A detector that steps only through states that it made itself. All are objects with the same fields in the same order: with each sample
 * some are asked of each rule, and where objects differ in form that takes as long as what many rules have to say.
 */
export function detector<State extends Json>(of: Detector<State>): Detector<Json> {
  return { ...FORM, ...of }
}

const FORM = {
  begins: undefined,
  beginsLate: undefined,
  beginsOnly: undefined,
  occasion: undefined,
  isDeafToOthers: false,
  longestGapMs: 0,
  isOfDongle: false,
  packing: undefined,
}
