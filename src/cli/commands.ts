import type { Command } from 'commander'

/** Adds a command to the program. */
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
  replay: async () => (await import('../../lab/ved/command.ts')).registerReplay,
  simulate: async () => (await import('../../lab/simulate/command.ts')).registerSimulate,
  score: async () => (await import('../../lab/score/command.ts')).registerScore,
  'demo-fleet': async () => (await import('./demo-fleet.ts')).registerDemoFleet,
  'keep-backups': async () => (await import('./backup.ts')).registerKeepBackups,
}

/** @returns the one that is asked for; all where none of them is, as help lists them */
export async function loadCommands(asked: string | undefined): Promise<readonly Register[]> {
  const wanted = asked !== undefined && Object.hasOwn(COMMANDS, asked) ? COMMANDS[asked] : undefined
  const loads = wanted ? [wanted] : Object.values(COMMANDS)
  return Promise.all(loads.map(load => load()))
}
