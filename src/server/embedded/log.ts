import type { BaseLogger } from 'pino'

/** The part of a logger that the embedded server uses. */
export type EmbeddedLog = Pick<BaseLogger, 'debug' | 'info' | 'warn' | 'error'>

const LEVELS: Readonly<Record<string, keyof EmbeddedLog>> = {
  WARNING: 'warn',
  FATAL: 'warn',
  PANIC: 'error',
}

/** Messages that every stop and restart logs once per connection. */
const EXPECTED = /^(terminating connection|the database system is|skipping special file)/

/** Forwards one line of PostgreSQL's log. The ERROR of a statement is reported by its sender, so here it is only detail. */
export function relayLine(line: string, log: EmbeddedLog): void {
  const [, severity = '', text = line] = /^([A-Z]+): {1,2}(.*)$/.exec(line) ?? []
  const level = EXPECTED.test(text) ? 'debug' : (LEVELS[severity] ?? 'debug')
  log[level]({ postgres: severity || undefined }, text)
}

/** For commands beside the service, which has logged everything about the location at its start. */
export const SILENT: EmbeddedLog = { debug: ignore, info: ignore, warn: ignore, error: ignore }

function ignore(): void {}
