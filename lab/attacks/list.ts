import { anEventAWeek } from './an-event-a-week.ts'
import type { Attack } from './attack.ts'
import { claimedImei } from './claimed-imei.ts'
import { guessedPasswords } from './guessed-passwords.ts'
import { halfOpenConnections } from './half-open-connections.ts'
import { idleConnections } from './idle-connections.ts'
import { imeiProbe } from './imei-probe.ts'
import { largeBodies } from './large-bodies.ts'
import { lengthOfNumbers } from './length-of-numbers.ts'
import { listsBelowTheLimit } from './lists-below-the-limit.ts'
import { loginsFromManyNetworks } from './logins-from-many-networks.ts'
import { manyAttributes } from './many-attributes.ts'
import { manyLayouts } from './many-layouts.ts'
import { fourHundredStreams, twoThousandStreams } from './many-streams.ts'
import { nestedBrackets } from './nested-brackets.ts'
import { overQuota } from './over-quota.ts'
import { requestsBeyondLimit } from './requests-beyond-limit.ts'
import { secondLogin } from './second-login.ts'
import { slowReaders } from './slow-readers.ts'
import { slowStreams } from './slow-streams.ts'
import { slowUploads } from './slow-uploads.ts'

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
