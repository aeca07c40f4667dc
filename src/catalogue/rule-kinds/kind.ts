/** A text in the languages of the API. */
export interface TextByLanguage {
  readonly en: string
  readonly de: string
}

/** The value of a parameter: areas are lists of their ids, event types are names. */
export type ParameterValue = number | boolean | string | readonly number[]

/** What a rule of a kind can be told. */
export type RuleParameter = {
  /** As the API writes it, with the unit at its end. */
  readonly name: string
  readonly label: TextByLanguage
  /** Why the default is what it is, or where it comes from. */
  readonly reason: TextByLanguage
} & (
  | {
      readonly type: 'number' | 'integer'
      /** Its symbol; empty where the number has none, or that of the event type that the rule names. */
      readonly unit: string
      readonly minimum: number
      readonly maximum: number
      /** null: every rule has to say. */
      readonly default: number | null
    }
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'enum'; readonly choices: readonly EnumChoice[]; readonly default: string }
  /** Ids of areas of the account; an empty list means all of them, later ones included. */
  | { readonly type: 'areas'; readonly default: readonly number[] }
  /** The name of an event type with data type NUMBER. */
  | { readonly type: 'eventType'; readonly default: string | null }
  /** A trouble code such as `P0301`, in which `*` stands for any characters and `?` for one. */
  | { readonly type: 'dtcPattern'; readonly default: string }
  /** A day such as `2027-03-31`; null: every rule has to say. */
  | { readonly type: 'date'; readonly default: null }
)

interface EnumChoice {
  readonly value: string
  readonly label: TextByLanguage
}

export type Severity = 'info' | 'warning' | 'critical'

export const SEVERITIES: readonly Severity[] = ['info', 'warning', 'critical']

export type RuleGroup = 'areas' | 'driving' | 'use' | 'energy' | 'vehicle' | 'device'

/** A kind of rule: what a fleet can be told to notice. */
export interface RuleKind {
  /** As the API writes it. */
  readonly name: string
  readonly group: RuleGroup
  readonly parameters: readonly RuleParameter[]
  /** The unit of the peak value of its incidents; empty where they have none, null where it is that of the event type that the rule names. */
  readonly peakUnit: string | null
  readonly severity: Severity
  /** What the hours of a rule mean: when it applies; or when use is permitted, and the rule applies outside of them. */
  readonly hours: 'applies' | 'permitted'
  readonly title: TextByLanguage
  readonly description: TextByLanguage
}
