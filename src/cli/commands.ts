import type { Command } from 'commander'
import { OperatorError } from '../model/errors.ts'
import { type Lab, type LabCommand, loadLab } from './lab.ts'

type Register = (program: Command) => void

/** Every command by its name; a new one is a file in this folder and a line here. To load all of them takes longer than what most do. */
export const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  map: async () => (await import('./map.ts')).registerMap,
  migrate: async () => (await import('./migrate.ts')).registerMigrate,
  backup: async () => (await import('./backup.ts')).registerBackup,
  restore: async () => (await import('./backup.ts')).registerRestore,
  'upgrade-database': async () => (await import('./migrate.ts')).registerUpgradeDatabase,
  account: async () => (await import('./account.ts')).registerAccount,
  user: async () => (await import('./access.ts')).registerUser,
  key: async () => (await import('./access.ts')).registerKey,
  device: async () => (await import('./device.ts')).registerDevice,
  dtc: async () => (await import('./dtc.ts')).registerDtc,
  frames: async () => (await import('./frames.ts')).registerFrames,
  rebuild: async () => (await import('./rebuild.ts')).registerRebuild,
  history: async () => (await import('./history.ts')).registerHistory,
  replay: async () => ofLab('replay', await loadLab()),
  simulate: async () => ofLab('simulate', await loadLab()),
  score: async () => ofLab('score', await loadLab()),
  'demo-fleet': async () => ofLab('demo-fleet', await loadLab()),
  'keep-backups': async () => (await import('./backup.ts')).registerKeepBackups,
}

/** @returns the one that is asked for; all where none of them is, as help lists them */
export async function loadCommands(asked: string | undefined): Promise<readonly Register[]> {
  const wanted = asked !== undefined && Object.hasOwn(COMMANDS, asked) ? COMMANDS[asked] : undefined
  const loads = wanted ? [wanted] : Object.values(COMMANDS)
  return Promise.all(loads.map(load => load()))
}

/** @returns a command that says what is missing where lab is not installed */
export function ofLab(name: LabCommand, lab: Lab | undefined): Register {
  return (
    lab?.commands[name] ??
    (program => {
      program
        .command(name)
        .description('(not installed here: it is in the folder lab/ of the sources)')
        .argument('[words...]')
        .allowUnknownOption()
        .action(() => {
          throw new OperatorError(`\`tacho ${name}\` is not installed here: it is in the folder lab/ of the sources.`)
        })
    })
  )
}
