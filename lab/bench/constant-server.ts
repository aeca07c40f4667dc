import { pino } from 'pino'
import { createCallerLookup } from '../../src/access/callers.ts'
import { createApiServer } from '../../src/api/server.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { SYSTEM_CLOCK } from '../../src/lib/clock.ts'
import { createMetrics } from '../../src/server/http/health.ts'
import { MachineWatch } from '../../src/server/watch/machine-watch.ts'

/** The API server with one more route: `/constant` answers a text of `CONSTANT_BYTES`. Prints its port. */
const config = { ...readConfig(), databaseUrl: process.env.DATABASE_URL ?? '' }
const database = openDatabase({ url: config.databaseUrl })
const metrics = createMetrics('api', database)
const context = {
  config,
  database,
  callers: createCallerLookup(database),
  machine: new MachineWatch({ connection: database.checks, databaseUrl: undefined }),
  clock: SYSTEM_CLOCK,
  intakeUrl: () => undefined,
}
const server = await createApiServer(context, metrics, pino({ level: 'info' }, pino.destination('/dev/null')))
const answer = JSON.stringify({ text: 'x'.repeat(Number(process.env.CONSTANT_BYTES)) })
server.get('/constant', { config: { access: 'any' } }, (_request, reply) => reply.type('application/json').send(answer))
await server.listen({ host: '127.0.0.1', port: 0 })
const address = server.server.address()
console.log(typeof address === 'object' ? address?.port : address)
