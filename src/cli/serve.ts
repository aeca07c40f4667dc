import { access } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { Logger } from 'pino'
import type { RunningRole } from '../app.ts'
import { type Config, childEnvironment, isDataFolderStandard, readConfig } from '../config.ts'
import { nodeOptionsOf } from '../lib/process.ts'
import { codeOf, OperatorError } from '../model/errors.ts'
import { forgetOtherFolders } from '../server/backup/archiver.ts'
import { prepareDatabase, requireGoodPassword } from '../server/database.ts'
import { keepReserve } from '../server/embedded/reserve.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../server/embedded/server.ts'
import { certificateFilesOf, readCertificate } from '../server/http/certificate.ts'
import { BEAT_MS, type KeptChild, keepChild } from '../server/kept-child.ts'
import {
  aborted,
  awaitStop,
  type ChildMessage,
  isSupervised,
  isSupervisorMessage,
  ownAddress,
  ownApiAddress,
  ownHostPort,
  processLog,
} from '../server/process.ts'
import { SETTINGS } from '../settings.ts'

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run the service: the database unless DATABASE_URL is set, the intake and the API')
    .addOption(new Option('--role <role>', 'run one role alone, with the database of DATABASE_URL').choices(ROLES))
    .addOption(
      new Option('--demo', 'make a login and show a small made-up fleet while the database is empty').hideHelp(),
    )
    .action(({ role, demo }: { role?: Role; demo?: true }) => {
      const config = readConfig()
      return role ? runRole(role, config) : supervise(config, { demo: demo ?? false })
    })
}

/** How long the processes of a killed Tacho may take to exit and release the ports. */
const FORMER_CHILDREN_MS = 35_000

/** Runs the database, unless another one is set, and a process for each role. @throws OperatorError */
export async function supervise(config: Config, { demo }: { readonly demo: boolean }): Promise<void> {
  await requireUsableFiles(config)
  const log = processLog('supervisor', config)
  const stop = awaitStop(log)
  if (config.databaseUrl) return serve(config.databaseUrl, undefined, { config, demo, log, stop })
  const server = await startEmbeddedServer({
    folder: config.dataFolder,
    mayMove: isDataFolderStandard(),
    log,
    beforeMade: () => requireGoodPassword(config),
  })
  log.info({ folder: server.folder }, 'the data folder')
  try {
    await serve(server.url, server, { config, demo, log, stop })
  } finally {
    await server.stop()
  }
}

/** What one of the roles would refuse, when the database is made already. @throws OperatorError */
async function requireUsableFiles(config: Config): Promise<void> {
  const { tlsCertFile, tlsKeyFile, teltonikaTlsCertFile, teltonikaTlsKeyFile } = config
  const api = certificateFilesOf(tlsCertFile, tlsKeyFile)
  const teltonika = certificateFilesOf(teltonikaTlsCertFile, teltonikaTlsKeyFile)
  for (const files of [api, teltonika]) if (files) readCertificate(files)
  for (const key of ['mqttCaFile', 'mapFile'] as const) {
    const file = config[key]
    if (file === undefined) continue
    await access(file).catch(error => {
      throw new OperatorError(`${SETTINGS[key].name} is ${file}, which cannot be read (${codeOf(error)}).`)
    })
  }
}

interface Surroundings {
  readonly config: Config
  readonly demo: boolean
  readonly log: Logger
  readonly stop: AbortSignal
}

async function serve(
  url: string,
  server: EmbeddedServer | undefined,
  { config, demo, log, stop }: Surroundings,
): Promise<void> {
  if (stop.aborted) return
  if (config.backupDir !== undefined && !server)
    log.warn('BACKUP_DIR has no effect on the database of DATABASE_URL: back that up with its own tools')
  await prepareDatabase(url, config, log)
  const environment = childEnvironment({
    databaseUrl: url,
    unknownDevices: config.unknownDevices,
    backupDir: server && config.backupDir,
  })
  const patientUntil = server?.followsCrash ? Date.now() + FORMER_CHILDREN_MS : 0
  const children: KeptChild[] = []
  const keepRole = (role: Role, onPort?: (port: number | undefined) => void): KeptChild => {
    const args = ['serve', '--role', role]
    const child = keepChild({
      name: role,
      args,
      environment,
      log,
      nodeOptions: nodeOptionsOf(role),
      patientUntil,
      longestSilenceMs: config.blockedLimitS && config.blockedLimitS * 1000,
      ...(onPort && { onPort }),
    })
    children.push(child)
    return child
  }
  const backups = server && (await startBackups(server, config, log))
  let intakeUrl: string | undefined
  const announceIntake = () => api.send({ type: 'intake', ...(intakeUrl && { url: intakeUrl }) })
  const api: KeptChild = keepRole('api', port => {
    if (port !== undefined) announceIntake()
  })
  let isDiskShort = false
  const announceDisk = () => intake.send({ type: 'disk', isShort: isDiskShort })
  const intake: KeptChild = keepRole('intake', port => {
    if (port !== undefined) announceDisk()
    intakeUrl = port === undefined ? undefined : ownAddress(config.intakeHost, port)
    announceIntake()
  })
  const onShort = (isShort: boolean) => {
    isDiskShort = isShort
    announceDisk()
  }
  const stopReserve = server && keepReserve(server.folder, log, onShort)
  const stopped = aborted(stop)
  try {
    const listening = Promise.all([api.started, intake.started])
    const ports = await Promise.race([listening, stopped])
    if (ports && demo) {
      const { teltonikaHost, teltonikaPort } = config
      const { startDemo } = await import('./demo.ts')
      await startDemo({
        url,
        config,
        environment,
        log,
        address: ownApiAddress(config, ports[0]),
        // A port that the system chooses differs after a restart of the intake.
        teltonika: teltonikaPort ? ownHostPort(teltonikaHost, teltonikaPort) : undefined,
        stop,
        onFleet: fleet => children.unshift(fleet),
      })
    }
    const failure = await Promise.race([stopped, ...(server ? [server.failed] : [])])
    if (failure) throw failure
  } finally {
    await stopReserve?.()
    await Promise.all(children.map(child => child.stop()))
    // After the others, so that what they committed last is archived.
    await backups?.stop()
  }
}

/** Keeps the process alive that makes backups, if there are to be any; else the database keeps nothing for them. */
async function startBackups(server: EmbeddedServer, { backupDir, unknownDevices }: Config, log: Logger) {
  if (backupDir === undefined) {
    await forgetOtherFolders(server.adminUrl).catch(error => log.warn({ err: error }, 'slots of backups are left'))
    return undefined
  }
  return keepChild({
    name: 'backup',
    args: ['keep-backups'],
    environment: childEnvironment({ databaseUrl: server.adminUrl, unknownDevices, backupDir }),
    log,
  })
}

export const ROLES = ['api', 'intake'] as const
export type Role = (typeof ROLES)[number]

const STOP_LIMIT_MS = 30_000

/** Until it is asked to stop; under a supervisor, until that dies. @throws OperatorError when it cannot start */
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
  let { intakeUrl } = config
  let isDiskShort = false
  process.on('message', message => {
    if (!isSupervisorMessage(message)) return
    if (message.type === 'intake') intakeUrl = message.url
    else isDiskShort = message.isShort
  })
  if (role === 'intake') return startIntakeRole({ config, log, isDiskShort: () => isDiskShort })
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
