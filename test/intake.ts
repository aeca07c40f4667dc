import pino from 'pino'
import { Intake } from '../src/ingest/intake.ts'
import { Partitions } from '../src/store/index.ts'
import type { TestApi } from './api.ts'

/** An intake on the database of an API; its `stop()` comes before that of the API. */
export function intakeOf({ database }: TestApi, unknownDevices: 'accept' | 'reject' = 'accept'): Intake {
  return new Intake({
    log: pino({ level: 'silent' }),
    database,
    partitions: new Partitions(database),
    batchOptions: async () => ({ unknownDevices, firstAccountId: undefined }),
  })
}
