import type { Logger } from 'pino'
import type { RunningRole } from '../app.ts'
import type { Config } from '../config.ts'
import { codeOf, OperatorError } from '../model/errors.ts'
import { SETTINGS } from '../settings.ts'
import { prepareDatabase } from './database.ts'
import { BEAT_MS } from './kept-child.ts'
import { aborted, awaitStop, type ChildMessage, isIntakeMessage, isSupervised, processLog } from './process.ts'

export const ROLES = ['api', 'intake'] as const
export type Role = (typeof ROLES)[number]

const STOP_LIMIT_MS = 30_000

/**
 * Runs one role in this process until it is asked to stop; under a supervisor, until that dies.
 * @throws OperatorError when it cannot start and there is no supervisor to tell.
 */
export async function runRole(role: Role, config: Config): Promise<void> {
  const { databaseUrl } = config
  if (!databaseUrl)
    throw new OperatorError(`\`tacho serve --role ${role}\` needs DATABASE_URL; \`tacho serve\` runs both roles.`)
  const log = processLog(role, config)
  const stop = awaitStop(log, STOP_LIMIT_MS)
  const supervised = isSupervised()
  try {
    if (!supervised) await prepareDatabase(databaseUrl, config, log)
    if (stop.aborted) return
    const running = await start(role, { ...config, databaseUrl }, log)
    const { port, teltonikaPort } = running
    log.info({ port, ...(teltonikaPort !== undefined && { teltonikaPort }) }, 'listening')
    notifySupervisor({ type: 'listening', port: running.port })
    // Sent from the event loop itself: a busy process sends it late, a blocked one not at all.
    setInterval(() => notifySupervisor({ type: 'alive' }), BEAT_MS).unref()
    await aborted(stop)
    await running.stop()
  } catch (error) {
    const known = inWordsOfTheOperator(error, role, config)
    if (!supervised || !known) throw known ?? error
    notifySupervisor({ type: 'refused', sentence: known.message, passing: isPortTaken(error) })
    process.exitCode = 1
  }
  // Handles that are still open must not keep the process alive.
  if (process.connected) process.disconnect()
  setTimeout(() => process.exit(), 1000).unref()
}

async function start(role: Role, config: Config & { databaseUrl: string }, log: Logger): Promise<RunningRole> {
  // Loaded only here: loading it takes a second, and the supervisor and the other commands do not need it.
  const { startApiRole, startIntakeRole } = await import('../app.ts')
  if (role === 'intake') return startIntakeRole({ config, log })
  let { intakeUrl } = config
  process.on('message', message => {
    if (isIntakeMessage(message)) intakeUrl = message.url
  })
  return startApiRole({ config, log, intakeUrl: () => intakeUrl })
}

function notifySupervisor(message: ChildMessage): void {
  // A supervisor that is exiting does not need the message.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

/** System calls that fail when a TCP or UDP port is not available, or the host does not exist. */
const LISTENING: ReadonlySet<unknown> = new Set(['listen', 'bind', 'getaddrinfo'])

const isPortTaken = (error: unknown) => codeOf(error) === 'EADDRINUSE'

function inWordsOfTheOperator(error: unknown, role: Role, config: Config): OperatorError | undefined {
  if (error instanceof OperatorError) return error
  if (!(error instanceof Error) || !('syscall' in error) || !LISTENING.has(error.syscall)) return undefined
  const isTeltonika = role === 'intake' && 'port' in error && error.port === config.teltonikaPort
  const address = isTeltonika ? ADDRESSES.teltonika : ADDRESSES[role]
  const [host, port] = [config[address.host], config[address.port]]
  if (isPortTaken(error))
    return new OperatorError(
      `Port ${port} is in use by another program: choose another with ${SETTINGS[address.port].name}.`,
    )
  return new OperatorError(
    `Tacho cannot listen on ${host}, port ${port}: ${error.message}. ` +
      `See ${SETTINGS[address.host].name} and ${SETTINGS[address.port].name}.`,
  )
}

/** The settings of each address on which Tacho listens. */
const ADDRESSES = {
  api: { host: 'host', port: 'port' },
  intake: { host: 'intakeHost', port: 'intakePort' },
  teltonika: { host: 'teltonikaHost', port: 'teltonikaPort' },
} as const
