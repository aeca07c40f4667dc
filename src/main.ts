import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { registerAccount } from './cli/account.ts'
import { registerBackup } from './cli/backup.ts'
import { registerDemoFleet } from './cli/demo-fleet.ts'
import { registerDevice } from './cli/device.ts'
import { registerDoctor } from './cli/doctor.ts'
import { registerDtc } from './cli/dtc.ts'
import { registerFrames } from './cli/frames.ts'
import { registerHistory } from './cli/history.ts'
import { registerKeepBackups } from './cli/keep-backups.ts'
import { registerKey } from './cli/key.ts'
import { registerMap } from './cli/map.ts'
import { registerMigrate } from './cli/migrate.ts'
import { registerRebuild } from './cli/rebuild.ts'
import { registerRestore } from './cli/restore.ts'
import { registerServe } from './cli/serve.ts'
import { registerUpgradeDatabase } from './cli/upgrade-database.ts'
import { registerUser } from './cli/user.ts'
import { loadEnvironmentFile } from './config.ts'
import { OperatorError } from './model/errors.ts'
import { registerScore } from './tools/score/command.ts'
import { registerSimulate } from './tools/simulate/command.ts'
import { registerReplay } from './tools/ved/command.ts'

/** Every command; a new one is a file in cli/ and a line here. */
const COMMANDS = [
  registerServe,
  registerDoctor,
  registerMap,
  registerMigrate,
  registerBackup,
  registerRestore,
  registerUpgradeDatabase,
  registerAccount,
  registerUser,
  registerKey,
  registerDevice,
  registerDtc,
  registerFrames,
  registerRebuild,
  registerHistory,
  registerReplay,
  registerSimulate,
  registerScore,
  registerDemoFleet,
  registerKeepBackups,
]

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const program = new Command('tacho').description('Connected-car fleet server.').version(version)
for (const register of COMMANDS) register(program)

try {
  loadEnvironmentFile()
  await program.parseAsync()
} catch (error) {
  process.exitCode = 1
  console.error(error instanceof OperatorError ? error.message : error)
}
