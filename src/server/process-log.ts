import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'

/** The log of one of the service's processes, on standard output. */
export function processLog(role: string, { logLevel }: Pick<Config, 'logLevel'>): Logger {
  return pino({ level: logLevel, base: { pid: process.pid, role } })
}
