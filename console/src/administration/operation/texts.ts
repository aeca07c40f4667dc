import type { RefusedSender } from '../../api/schema.ts'
import { defineTexts } from '../../language/language.ts'

const remedies: Readonly<Record<RefusedSender['reason'], string>> = {
  'unknown device': 'Register it under Devices, if it is yours.',
  'claimed device': 'The operator decides: tacho device claims.',
  network: 'The operator changes from where it may report: tacho device networks.',
  unreadable: 'The operator sees its bytes: tacho frames list.',
  'not stored': 'An error in Tacho; the log says more.',
}

const reasons: Readonly<Record<RefusedSender['reason'], string>> = {
  'unknown device': 'Unknown device',
  'claimed device': 'Registered, but not assigned',
  network: 'Not allowed from this network',
  unreadable: 'Not readable',
  'not stored': 'Could not be stored',
}

const parts: Readonly<Record<string, string>> = { database: 'Database', intake: 'Intake', storing: 'Storing' }

/** What the service says of a part in English, by its sentence. */
type Sentences = Readonly<Record<string, string>>

const sentences: Sentences = {
  'The disk of the database is full: nothing was stored.': 'The disk of the database is full.',
}

export const operationTexts = defineTexts('operation', {
  allWell: 'Everything works',
  asOf: (time: string) => `as of ${time}`,
  parts: 'Parts of the service',
  part: parts,
  status: { ready: 'ready', failing: 'failing', 'not ready': 'not ready' },
  sentences,
  nothingStored: (since: string | undefined) =>
    `What devices send cannot be stored${since === undefined ? '' : `, since ${since}`}`,
  notReady: (part: string) => `${part}: not ready`,
  goesOn: 'Free space, and it goes on by itself. Devices keep what was not acknowledged, and send it again.',
  sendsAgain: 'It goes on by itself when that is over. Devices keep what was not acknowledged, and send it again.',
  diskTitle: 'The disk is filling up',
  diskFull: (free: string, days: string | undefined) =>
    `${free} are free${days === undefined ? '' : `, enough for ${days} days`}. Enlarge the disk, or keep less (RETENTION_DAYS).`,
  noBackup: 'There is no backup yet',
  noBackupHint: 'The first one is made soon after the start; if not, the log says why.',
  oldBackup: (age: string) => `The newest backup is ${age} old`,
  oldBackupHint: 'The log says why the last one failed.',
  logBehind: (age: string) => `The last ${age} are in no backup`,
  logBehindHint: 'See whether the folder for backups can be written and has room.',
  underivedTitle: (age: string) => `Trips and latest values are ${age} behind`,
  underivedHint: 'Everything is stored, nothing is lost. Database or processor may be at their limit.',
  clockTitle: (seconds: string) => `The clocks of machine and database differ by ${seconds}`,
  clockHint: 'Set both by a time server. A wrong clock makes measurements look as if their times were impossible.',
  jobTitle: (name: string) => `A background job fails: ${name}`,
  jobHint: (since: string) => `Since ${since}. It is tried again by itself; the log says why it fails.`,
  machine: 'Machine',
  ownAccount: 'Your account',
  diskFree: 'Disk, free',
  diskFreeOf: (free: string, size: string) => `${free} of ${size}`,
  daysLeft: 'Full in',
  days: (days: string) => `${days} days`,
  notFilling: 'not foreseeable',
  databaseSize: 'Database',
  backupAge: 'Newest backup',
  old: (age: string) => `${age} old`,
  noneMade: 'none is made',
  notYet: 'none yet',
  notInBackup: 'In no backup',
  underived: 'Not processed yet',
  nothingWaits: 'nothing',
  clock: 'Clocks differ by',
  unknown: 'unknown',
  elsewhere: 'on another machine',
  queue: 'Waiting to be stored',
  samples: (count: string) => `${count} measurements`,
  queueOf: 'Account',
  queueLength: 'Measurements',
  nobodyYet: 'not known yet',
  nodes: 'Nodes',
  process: 'Process',
  host: 'Machine',
  since: 'Since',
  processes: { api: 'API', intake: 'Intake' },
  standbys: 'Standby databases',
  standby: 'Name',
  behind: 'Behind',
  refused: 'Refused',
  refusedHint: 'Who reported and was turned away, the last first.',
  noneRefused: 'Nobody was refused',
  noneRefusedHint: 'Devices that are turned away are listed here, with the way out.',
  when: 'Last',
  times: 'Times',
  timesRefused: (count: string) => `${count} times`,
  dongle: 'Device',
  from: 'From',
  why: 'Why',
  remedy: 'What to do',
  nobody: 'unnamed',
  reasons,
  remedies,
  knownNow: 'It is registered by now and may report.',
})
export type OperationTexts = (typeof operationTexts)['en']
