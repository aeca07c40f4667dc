import pino from 'pino'
import type { Database } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { Failing } from '../src/derive/failing.ts'
import type { SealingOptions } from '../src/jobs/seal-history.ts'
import { SYSTEM_CLOCK } from '../src/lib/clock.ts'
import { numbersOf, Partitions, readStoredSamples, textsOf, withRawConnection } from '../src/store/index.ts'
import type { UpgradeWorld } from './upgrade-world.ts'

export const DAY_MINUTES = 1440

/** How the tests seal: without rests. */
export function sealingOptions(
  database: Database,
  { quietS, afterDays = 2 }: { readonly quietS: number; readonly afterDays?: number },
): SealingOptions {
  return {
    afterDays,
    quietS,
    partitions: new Partitions(database),
    pace: { restAfter: async () => undefined },
    signal: new AbortController().signal,
    failing: new Failing(),
    log: pino({ level: 'silent' }),
    clock: SYSTEM_CLOCK,
    observe: () => undefined,
  }
}

/** Every sample of the account with its revision, in the order of storing, as texts. */
export async function everySample({
  database,
  accountId,
}: Pick<UpgradeWorld, 'database' | 'accountId'>): Promise<string[]> {
  const ever = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  const scope = {
    join: sql``,
    conditions: [sql`a.account_id = ${accountId}`],
    range: ever,
    isOfTrip: false,
    storedTo: undefined,
  }
  return withRawConnection(database.readsOf(accountId), async connection => {
    const texts: string[] = []
    const chunks = readStoredSamples(connection, scope, '2000-01-01T00:00:00.000000Z', { types: undefined })
    for await (const chunk of chunks)
      for (const sample of chunk)
        texts.push(
          JSON.stringify([
            sample.storedUs,
            sample.timeMs,
            sample.deviceId,
            sample.layout.text,
            numbersOf(sample),
            textsOf(sample),
          ]),
        )
    return texts
  })
}
