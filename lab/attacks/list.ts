import type { Attack } from './attack.ts'
import {
  fourHundredStreams,
  halfOpenConnections,
  idleConnections,
  slowReaders,
  slowStreams,
  slowUploads,
  twoThousandStreams,
} from './connections.ts'
import { claimedImei, guessedPasswords, imeiProbe, loginsFromManyNetworks, secondLogin } from './logins.ts'
import {
  anEventAWeek,
  largeBodies,
  lengthOfNumbers,
  listsBelowTheLimit,
  manyAttributes,
  manyLayouts,
  nestedBrackets,
  overQuota,
  requestsBeyondLimit,
} from './uploads.ts'

/** Every attack, in the order in which they are run. */
export const ATTACKS: readonly Attack[] = [
  requestsBeyondLimit,
  lengthOfNumbers,
  idleConnections,
  slowUploads,
  slowReaders,
  listsBelowTheLimit,
  fourHundredStreams,
  twoThousandStreams,
  slowStreams,
  largeBodies,
  manyAttributes,
  anEventAWeek,
  manyLayouts,
  overQuota,
  nestedBrackets,
  loginsFromManyNetworks,
  guessedPasswords,
  secondLogin,
  imeiProbe,
  halfOpenConnections,
  claimedImei,
]
