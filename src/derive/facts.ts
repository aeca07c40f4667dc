import { assignments } from './assignments/fact.ts'
import { days } from './days/fact.ts'
import { deviceRecords } from './device-records/fact.ts'
import { dtcs } from './dtcs/fact.ts'
import type { Fact } from './fact.ts'
import { identity } from './identity/fact.ts'
import { incidents } from './incidents/fact.ts'
import { latestValues } from './latest-values/fact.ts'
import { trips } from './trips/fact.ts'

/** All that follows from samples, in the order in which it is worked out: each may rely on those before it. */
export const FACTS: Fact[] = [trips, incidents, dtcs, latestValues, identity, assignments, days, deviceRecords]
