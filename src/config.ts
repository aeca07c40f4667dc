import { existsSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { isLoopback } from './lib/networks.ts'
import { OperatorError } from './model/errors.ts'
import { SETTINGS } from './settings.ts'

type Values = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']> }

export interface Config extends Omit<Values, 'unknownDevices' | 'accountRateLimit' | 'accountStreamLimit'> {
  readonly unknownDevices: 'accept' | 'reject'
  readonly accountRateLimit: number
  readonly accountStreamLimit: number
}

/** Keys and users of an account that may all use up their allowance at once. */
const ACCOUNT_FACTOR = 10

/** The only reader of the environment. @throws OperatorError naming the variable and what it must be */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, { name, standard, parse, isSecret }]) => {
      const given = environment[name]?.trim() || standard
      try {
        return [key, parse(given)]
      } catch (error) {
        throw new OperatorError(`${name} must be ${(error as Error).message}${isSecret ? '' : `, not "${given}"`}.`)
      }
    }),
  ) as Values
  for (const [one, other] of PAIRS)
    if (Boolean(values[one]) !== Boolean(values[other]))
      throw new OperatorError(`${SETTINGS[one].name} and ${SETTINGS[other].name} belong together: set both or neither.`)
  if (values.databaseReadUrl !== undefined && values.databaseUrl === undefined)
    throw new OperatorError(
      `${SETTINGS.databaseReadUrl.name} needs ${SETTINGS.databaseUrl.name}: the embedded database has no replica.`,
    )
  return {
    ...values,
    dataFolder: isDataFolderStandard(environment) ? standardDataFolder(environment.XDG_DATA_HOME) : values.dataFolder,
    unknownDevices: values.unknownDevices ?? (mayAnybodyReport(values) ? 'reject' : 'accept'),
    accountRateLimit: values.accountRateLimit ?? values.rateLimit * ACCOUNT_FACTOR,
    accountStreamLimit: values.accountStreamLimit ?? values.streamLimit * ACCOUNT_FACTOR,
  }
}

/** Nobody chose the folder of the embedded database: Tacho may use another one if it must. */
export function isDataFolderStandard(environment: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return !environment[SETTINGS.dataFolder.name]?.trim()
}

const PAIRS = [
  ['email', 'password'],
  ['tlsCertFile', 'tlsKeyFile'],
  ['teltonikaTlsCertFile', 'teltonikaTlsKeyFile'],
] as const satisfies readonly (readonly [keyof Values, keyof Values])[]

/** Dongles of strangers can reach this service, or its database is an operator's own. */
function mayAnybodyReport({ databaseUrl, teltonikaHost, teltonikaPort }: Values): boolean {
  return databaseUrl !== undefined || (teltonikaPort !== undefined && !isLoopback(teltonikaHost))
}

/** From the file `.env` of the working directory; what is already set stays. @throws OperatorError if unreadable */
export function loadEnvironmentFile(): void {
  try {
    process.loadEnvFile()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new OperatorError(`The file .env cannot be read: ${message}.`)
  }
}

/** The names of all variables that are set, and of those in the file `.env` of the working directory. */
export function namesOfVariables(): { readonly environment: readonly string[]; readonly inFile: readonly string[] } {
  const file = existsSync('.env') ? readFileSync('.env', 'utf8') : ''
  return { environment: Object.keys(process.env), inFile: Object.keys(parseEnv(file)) }
}

/** The environment for a process of our own that works with that database: ours, with what was settled meanwhile. */
export function childEnvironment(
  settled: Pick<Config, 'unknownDevices'> & { databaseUrl: string; backupDir?: string | undefined },
): NodeJS.ProcessEnv {
  return {
    ...process.env,
    [SETTINGS.databaseUrl.name]: settled.databaseUrl,
    [SETTINGS.unknownDevices.name]: settled.unknownDevices,
    [SETTINGS.backupDir.name]: settled.backupDir ?? '',
  }
}

/** Where a system service keeps its data. */
const SERVICE_FOLDER = '/var/lib/tacho'

/** Of a checkout, or of the package that npm installed; the same from the sources and from the compiled program. */
const PROGRAM_FOLDER = dirname(dirname(fileURLToPath(import.meta.url)))

interface Surroundings {
  readonly programFolder: string
  /** Number of the user that runs this; undefined where users have none. */
  readonly uid: number | undefined
  /** Number of the user to whom `SERVICE_FOLDER` belongs; undefined where there is none. */
  readonly serviceFolderUid: number | undefined
  readonly home: string
  /** XDG_DATA_HOME, which must be absolute to count. */
  readonly dataHome: string | undefined
  readonly platform: NodeJS.Platform
}

/** In a checkout, beside the program. Where npm installed it, commands are typed in any folder and must find the same
 * database, so it is one place for each user. */
export function standardDataFolder(dataHome: string | undefined): string {
  return dataFolderFor({
    programFolder: PROGRAM_FOLDER,
    uid: process.getuid?.(),
    serviceFolderUid: statSync(SERVICE_FOLDER, { throwIfNoEntry: false })?.uid,
    home: homedir(),
    dataHome,
    platform: process.platform,
  })
}

export function dataFolderFor(found: Surroundings): string {
  const { programFolder, uid, serviceFolderUid, home, dataHome, platform } = found
  if (basename(dirname(programFolder)) !== 'node_modules') return './data'
  if (uid === 0 || (uid !== undefined && uid === serviceFolderUid)) return SERVICE_FOLDER
  if (dataHome?.startsWith('/')) return join(dataHome, 'tacho')
  return platform === 'darwin' ? join(home, 'Library/Application Support/tacho') : join(home, '.local/share/tacho')
}
