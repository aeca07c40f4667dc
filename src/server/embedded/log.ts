import type { BaseLogger } from 'pino'

/** What the embedded server needs of a log. */
export type EmbeddedLog = Pick<BaseLogger, 'debug' | 'info' | 'warn' | 'error'>

const LEVELS: Readonly<Record<string, keyof EmbeddedLog>> = {
  WARNING: 'warn',
  FATAL: 'warn',
  PANIC: 'error',
}

/** What every stop and every restart says once for each connection. */
const EXPECTED = /^(terminating connection|the database system is)/

/** Passes one line of PostgreSQL's own log on. A statement's ERROR is reported by the one who sent it, so it is only detail. */
export function relayLine(line: string, log: EmbeddedLog): void {
  const [, severity = '', text = line] = /^([A-Z]+): {1,2}(.*)$/.exec(line) ?? []
  const level = EXPECTED.test(text) ? 'debug' : (LEVELS[severity] ?? 'debug')
  log[level]({ postgres: severity || undefined }, text)
}
