import type { Attack } from './attack.ts'
import { lengthOfNumbers } from './length-of-numbers.ts'
import { requestsBeyondLimit } from './requests-beyond-limit.ts'

/** Every attack, in the order in which they are run. */
export const ATTACKS: readonly Attack[] = [requestsBeyondLimit, lengthOfNumbers]
