import type { Attack } from './attack.ts'
import { lengthOfNumbers } from './length-of-numbers.ts'
import { requestsBeyondLimit } from './requests-beyond-limit.ts'
import { slowReaders } from './slow-readers.ts'
import { slowUploads } from './slow-uploads.ts'

/** Every attack, in the order in which they are run. */
export const ATTACKS: readonly Attack[] = [requestsBeyondLimit, lengthOfNumbers, slowUploads, slowReaders]
