import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type Config, isDataFolderStandard, namesOfVariables, readConfig } from '../config.ts'
import { isRefusedLogin } from '../db/faults.ts'
import { machineMemoryBytes } from '../lib/process.ts'
import { codeOf, OperatorError } from '../model/errors.ts'
import { withDatabase } from '../server/database.ts'
import { findRunningServer } from '../server/embedded/server.ts'
import { readCertificate } from '../server/http/certificate.ts'
import { SETTINGS } from '../settings.ts'
import {
  answersAsTacho,
  knowsTimeZones,
  lookAtDatabase,
  lookAtFolder,
  lookAtPorts,
  readOpenFiles,
  readSynchronized,
} from './doctor-facts.ts'
import {
  type Finding,
  type FolderFacts,
  findingsOf,
  judgeCertificate,
  judgeClock,
  judgeDatabase,
  judgeDisk,
  judgeDoors,
  judgeFolder,
  judgeMemory,
  judgeNames,
  judgeNode,
  judgeOpenFiles,
  judgePort,
  judgeTimeZones,
  type Verdict,
} from './doctor-judgements.ts'

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'look at machine, settings, ports, data folder and database, whether Tacho runs or not, and say what to do',
    )
    .option('--json', 'for machines')
    .addHelpText('after', '\nChanges nothing. Ends with 1 when something is broken, else with 0.')
    .action(async ({ json }: { json?: true }) => {
      const findings = await examine()
      const isBroken = findings.some(({ verdict }) => verdict === 'broken')
      console.log(json ? JSON.stringify({ ok: !isBroken, findings }, null, 2) : findings.map(lineOf).join('\n'))
      if (isBroken) process.exitCode = 1
    })
}

const WORDS: Readonly<Record<Verdict, string>> = { fine: 'fine', look: 'look at this', broken: 'broken' }
const WIDTH = Math.max(...Object.values(WORDS).map(word => word.length))

function lineOf({ check, verdict, says, advice }: Finding): string {
  return `${WORDS[verdict].padEnd(WIDTH)}  ${check}: ${says}${advice === undefined ? '' : ` ${advice}`}`
}

/** Looks at everything that Tacho depends on, whether it runs, stands still, or cannot start. Changes nothing. */
export async function examine(): Promise<Finding[]> {
  const machine = [
    judgeNode(process.versions.node),
    judgeMemory(machineMemoryBytes()),
    judgeTimeZones(knowsTimeZones()),
  ]
  const config = readSettings()
  if (!('host' in config)) return [...machine, config]
  return [
    ...machine,
    judgeOpenFiles(await readOpenFiles(), config.connectionsPerClient),
    judgeNames(namesOfVariables()),
    ...judgeDoors(config),
    ...(await certificates(config)),
    ...(await ports(config)),
    ...(await databaseAndFolder(config)),
  ]
}

/** @returns what is wrong where they cannot be read */
function readSettings(): Config | Finding {
  try {
    return readConfig()
  } catch (error) {
    return broken('settings', error, 'Correct that variable, in the environment or in the file .env.')
  }
}

async function certificates(config: Config): Promise<Finding[]> {
  const pairs = [
    { setting: SETTINGS.tlsCertFile.name, certFile: config.tlsCertFile, keyFile: config.tlsKeyFile },
    {
      setting: SETTINGS.teltonikaTlsCertFile.name,
      certFile: config.teltonikaTlsCertFile,
      keyFile: config.teltonikaTlsKeyFile,
    },
  ]
  const findings: Finding[] = []
  for (const { setting, certFile, keyFile } of pairs) {
    if (certFile === undefined || keyFile === undefined) continue
    findings.push(judgeCertificate(setting, await validUntil(certFile, keyFile), Date.now()))
  }
  return findings
}

async function validUntil(certFile: string, keyFile: string): Promise<number | string> {
  try {
    readCertificate({ certFile, keyFile })
    return Date.parse(new X509Certificate(await readFile(certFile)).validTo)
  } catch (error) {
    return (error as Error).message
  }
}

async function ports(config: Config): Promise<Finding[]> {
  const isRunning = await answersAsTacho(config)
  return (await lookAtPorts(config)).map(port => judgePort(port, isRunning))
}

async function databaseAndFolder(config: Config): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) {
    const { findings, clock } = await database(config.databaseUrl)
    return [await judgeTime(clock), ...findings]
  }
  const mayMove = isDataFolderStandard()
  let folder: FolderFacts
  try {
    folder = await lookAtFolder(config.dataFolder, mayMove)
  } catch (error) {
    return [await judgeTime(), broken('data folder', error, 'Do what this says.')]
  }
  const url = (await findRunningServer(config.dataFolder, mayMove))?.url
  const { findings, clock, growthBytesPerDay } = url === undefined ? nothingRuns(folder) : await database(url)
  return [await judgeTime(clock), judgeFolder(folder), judgeDisk(folder, growthBytesPerDay), ...findings]
}

interface Examined {
  readonly findings: readonly Finding[]
  readonly clock?: { readonly aheadMs: number; readonly revisionAheadMs: number | undefined }
  readonly growthBytesPerDay?: number | undefined
}

function nothingRuns({ folder, cluster }: FolderFacts): Examined {
  if (!cluster) return { findings: [] }
  const { look } = findingsOf('database')
  const advice = 'Start Tacho and run this again, to have the database looked at, too.'
  return { findings: [look(`No Tacho runs on ${folder}, so its database was not looked at.`, advice)] }
}

async function database(url: string): Promise<Examined> {
  try {
    const looked = await withDatabase(url, ({ checks }) => lookAtDatabase(checks))
    return { findings: judgeDatabase(looked.facts), clock: looked, growthBytesPerDay: looked.growthBytesPerDay }
  } catch (error) {
    const advice = isRefusedLogin(error)
      ? 'Run this as the user that runs Tacho; check user and password of DATABASE_URL where that is set.'
      : 'Check that PostgreSQL runs and can be reached from here, and what its log says.'
    const { broken: isBroken } = findingsOf('database')
    const text = (error as Error).message || codeOf(error) || 'no reason given'
    return { findings: [isBroken(`The database cannot be used: ${text}.`, advice)] }
  }
}

async function judgeTime(clock?: Examined['clock']): Promise<Finding> {
  return judgeClock({
    nowMs: Date.now(),
    databaseAheadMs: clock?.aheadMs,
    revisionAheadMs: clock?.revisionAheadMs,
    isSynchronized: await readSynchronized(),
  })
}

function broken(check: string, error: unknown, advice: string): Finding {
  if (!(error instanceof OperatorError)) throw error
  return findingsOf(check).broken(error.message, advice)
}
