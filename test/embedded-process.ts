// Keeps an embedded server in a process of its own, so that a test can kill it: `embedded-process.ts FOLDER`.
import { pino } from 'pino'
import { startEmbeddedServer } from '../src/server/embedded/server.ts'

try {
  const server = await startEmbeddedServer({
    folder: process.argv[2] ?? '',
    log: pino({ level: 'silent' }),
    settings: { fsync: 'off' },
  })
  process.send?.({ pid: server.pid })
} catch (error) {
  process.send?.({ refused: (error as Error).message })
  process.disconnect?.()
}
