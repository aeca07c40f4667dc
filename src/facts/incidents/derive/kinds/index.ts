import type { RuleKindName } from '../../../../catalogue/rule-kinds/index.ts'
import type { KindOfRule } from '../detector.ts'
import { idling } from './idling.ts'
import { speeding } from './speeding.ts'

/** What each kind of rule looks for. */
export const KINDS: Readonly<Record<RuleKindName, KindOfRule>> = {
  SPEEDING: speeding,
  IDLING: idling,
}
