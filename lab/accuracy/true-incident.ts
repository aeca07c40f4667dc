import type { RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import type { Position } from '../../src/model/sample.ts'

/** Something that should be found, or may be: near its limits, a rule may decide either way. */
export interface TrueIncident {
  readonly kind: RuleKindName
  readonly fromMs: number
  readonly toMs: number
  /** The records show it clearly. */
  readonly isSure: boolean
}

/** What the rules of the comparison ask for. */
export interface Asked {
  readonly limitKmh: number
  readonly areas: readonly { readonly center: Position; readonly radiusM: number }[]
  /** Hours of each day, UTC, at which use is permitted. */
  readonly permittedHours: readonly [fromHour: number, toHour: number]
}
