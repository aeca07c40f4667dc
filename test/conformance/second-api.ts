import pino from 'pino'
import { type RunningRole, startApiRole } from '../../src/app.ts'
import type { Config } from '../../src/config.ts'
import type { TestService } from '../service.ts'

/** Another API process on the same data, like a second node, whose log can be read. */
export interface SecondApi {
  readonly url: string
  /** Everything it has logged so far, at every level. */
  log(): string
  stop(): Promise<void>
}

export async function startSecondApi(
  service: TestService,
  settings: Partial<Config & { readonly databaseUrl: string }> = {},
): Promise<SecondApi> {
  const lines: string[] = []
  const api: RunningRole = await startApiRole({
    config: { ...service.config, ...settings },
    log: pino({ level: 'trace' }, { write: line => void lines.push(line) }),
    intakeUrl: () => service.intakeUrl,
    clock: service.clock,
  })
  return { url: `http://127.0.0.1:${api.port}`, log: () => lines.join(''), stop: () => api.stop() }
}
