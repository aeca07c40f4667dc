import { type Command, Option } from 'commander'
import { ensureFirstAccount } from '../access/accounts.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { type ListedClaim, listClaims } from '../fleet/claims.ts'
import { type DeviceEntry, readImei, readVin } from '../fleet/device-entry.ts'
import { type ListedDevice, listDevices } from '../fleet/devices.ts'
import type { EntryOutcome } from '../fleet/enter-devices.ts'
import { admitDevices, deleteDevice, moveDevice } from '../fleet/with-consequences.ts'
import { minuteText } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import type { DeviceId } from '../model/sample.ts'
import { inServiceTransaction, onServiceDatabase } from '../server/database.ts'
import { registerDeviceNetworks } from './account.ts'
import {
  DEVICE_FIELDS,
  type ListedEntry,
  type ListProblem,
  type ReadEntry,
  readDeviceFile,
  readFields,
} from './device-file.ts'
import { accountIdOf, parsedBy, parseInstant, parseName, printTable, readGivenFile } from './terminal.ts'

export function registerDevice(program: Command): void {
  const device = program.command('device').description('dongles and the cars they are in')
  const adding = device
    .command('add')
    .description('let a dongle in, with a car of its own')
    .argument('<imei>', 'its IMEI', parsedBy(readImei))
    .addOption(anyCheckDigitOption())
  for (const { option, description } of DEVICE_FIELDS) if (option !== undefined) adding.option(option, description)
  adding.action(add)
  device
    .command('import')
    .description('let all dongles of a list in, and set what it says of their cars')
    .argument('<file.csv>', 'as a spreadsheet saves it, with headings')
    .option('--account <name>', 'account of those that name none (default: the first account)', parseName)
    .addOption(anyCheckDigitOption())
    .addHelpText('after', `\nColumns, in any order, of which imei is needed:\n${columnsHelp()}`)
    .action(importList)
  device
    .command('list')
    .description('show dongles')
    .option('--account <name>', 'those of one account', parseName)
    .option(
      '--search <text>',
      'those with this in their IMEI, vehicle, number plate, make, model, hardware or firmware',
    )
    .option('--json', 'as JSON')
    .action(list)
  device
    .command('move')
    .description('a dongle is in another car from now on')
    .argument('<imei>', 'its IMEI', parsedBy(readImei))
    .option('--to <vehicle>', 'id, VIN or number plate of the car, or `new`', 'new')
    .option('--vin <vin>', 'VIN of a new car', parsedBy(readVin))
    .option('--at <timestamp>', 'since when, such as 2026-01-15T08:00:00Z', parseInstant)
    .option('--account <name>', 'the account that has it from then on (default: the one it is in)', parseName)
    .action(move)
  device
    .command('delete')
    .description('erase a dongle, its car and everything that it measured')
    .argument('<imei>', 'its IMEI', parsedBy(readImei))
    .option('--yes', 'do it: it cannot be undone')
    .action(erase)
  device
    .command('claims')
    .description('show what accounts registered themselves, what was given up again, and what was refused')
    .option('--account <name>', 'those of one account', parseName)
    .option('--json', 'as JSON')
    .action(claims)
  registerDeviceNetworks(device)
}

function anyCheckDigitOption(): Option {
  return new Option('--any-check-digit', 'take 15 digits of which the last is wrong for an IMEI')
}

function columnsHelp(): string {
  return DEVICE_FIELDS.map(({ headings: [name], description }) => `  ${name.padEnd(14)} ${description}`).join('\n')
}

async function add(imei: number, options: Readonly<Record<string, string | true | undefined>>): Promise<void> {
  const texts = new Map(
    DEVICE_FIELDS.map(field => [
      field,
      field.option === undefined ? String(imei) : String(options[optionKey(field.option)] ?? ''),
    ]),
  )
  const entry = readFields(texts, options.anyCheckDigit === true, (field, text) => {
    throw new OperatorError(`${field.option?.split(' ')[0] ?? field.headings[0]} ${text}.`)
  })
  if (!entry) throw new OperatorError('An IMEI is needed.')
  const outcome = await enter([entry], { onlyNew: true })
  if (outcome.kind === 'refused')
    throw new OperatorError(
      outcome.problems
        .map(problem => `${problem.field === 'vin' ? entry.vin : imei} ${withAdvice(problem)}.`)
        .join('\n'),
    )
  console.error(`The dongle ${imei} may report.`)
}

/** The property in which commander keeps an option. */
function optionKey(option: string): string {
  return option
    .replace(/^--/, '')
    .replace(/ .*/, '')
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

async function importList(
  path: string,
  { account, anyCheckDigit }: { readonly account?: string; readonly anyCheckDigit?: true },
): Promise<void> {
  const bytes = await readGivenFile(path)
  const { entries, problems, headingOf } = readDeviceFile(bytes, anyCheckDigit === true)
  if (problems.length > 0) throw wrongList(path, problems)
  const outcome = await enter(
    entries.map(({ entry }) => entry),
    { account },
  )
  if (outcome.kind === 'refused') {
    const lineOf = new Map(entries.map(({ line, entry }: ListedEntry) => [entry.deviceId, line]))
    throw wrongList(
      path,
      outcome.problems.map(problem => {
        const { entry, field } = problem
        const column = DEVICE_FIELDS.find(({ key }) => key === (field === 'accountId' ? 'account' : field))
        return { line: lineOf.get(entry.deviceId) ?? 1, column: column && headingOf(column), text: withAdvice(problem) }
      }),
    )
  }
  console.error(`${outcome.added} added, ${outcome.updated} updated, ${outcome.unchanged} unchanged.`)
}

function withAdvice({ text, advice }: { readonly text: string; readonly advice?: string }): string {
  return advice === undefined ? text : `${text}; ${advice}`
}

const MOST_PROBLEMS_SHOWN = 20

function wrongList(path: string, problems: readonly ListProblem[]): OperatorError {
  const shown = problems
    .slice(0, MOST_PROBLEMS_SHOWN)
    .map(({ line, column, text }) => `${path}, line ${line}${column === undefined ? ':' : `, ${column}`} ${text}.`)
  const more = problems.length - shown.length
  return new OperatorError([...shown, ...(more > 0 ? [`And ${more} more.`] : []), 'Nothing was changed.'].join('\n'))
}

async function enter(
  read: readonly ReadEntry[],
  { account, onlyNew = false }: { readonly account?: string | undefined; readonly onlyNew?: boolean },
): Promise<EntryOutcome> {
  return inServiceTransaction(async transaction => {
    const first = await ensureFirstAccount(transaction)
    const entries = await withAccounts(transaction, read, account)
    return admitDevices(transaction, entries, { firstAccountId: first.id, onlyNew })
  })
}

/** @param ofOthers the account of rows that name none, also of existing dongles; otherwise cars of another account would change */
async function withAccounts(
  transaction: Transaction,
  read: readonly ReadEntry[],
  ofOthers: string | undefined,
): Promise<DeviceEntry[]> {
  const idOf = new Map<string | undefined, number | undefined>([[undefined, undefined]])
  for (const account of [ofOthers, ...read.map(entry => entry.account)])
    if (account !== undefined && !idOf.has(account)) idOf.set(account, await accountIdOf(transaction, account))
  return read.map(({ account = ofOthers, ...entry }) => ({ ...entry, accountId: idOf.get(account) }))
}

interface ListOptions {
  readonly account?: string
  readonly search?: string
  readonly json?: true
}

async function list({ account, search, json }: ListOptions): Promise<void> {
  const devices = await onServiceDatabase(database => listDevices(database, { account, search }))
  if (json) return console.log(JSON.stringify(devices, undefined, 2))
  printTable(['imei', 'vehicle', 'plate', 'car', 'state', 'last received', 'hardware', 'firmware'], devices, deviceRow)
}

/** The widths keep a row within 120 characters. The VIN is part of the vehicle id. */
function deviceRow(device: ListedDevice): string[] {
  return [
    String(device.imei),
    device.vehicleId,
    shortened(device.plate, 10),
    shortened(`${device.make} ${device.model}`.trim(), 16),
    device.isOnline ? 'online' : 'offline',
    minuteText(device.lastReceived),
    shortened(device.hardware, 8),
    shortened(device.firmware, 12),
  ]
}

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}

interface MoveOptions {
  readonly to: string
  readonly vin?: string
  readonly at?: number
  readonly account?: string
}

async function move(imei: number, { to, vin, at, account }: MoveOptions): Promise<void> {
  const isNew = to.trim().toLowerCase() === 'new'
  if (vin !== undefined && !isNew) throw new OperatorError('--vin is for a new car: give it with `--to new`.')
  const outcome = await onServiceDatabase(async database => {
    const accountId =
      account === undefined
        ? undefined
        : await writeTransaction(database, transaction => accountIdOf(transaction, account))
    return moveDevice(database, {
      deviceId: imei as DeviceId,
      to: isNew ? { kind: 'new', vin } : { kind: 'named', name: to.trim() },
      accountId,
      atMs: at,
    })
  })
  if (outcome.kind === 'unknown') throw new OperatorError(`There is no dongle ${imei}; \`tacho device add\` makes it.`)
  if (outcome.kind === 'refused') throw new OperatorError(`${withAdvice(outcome)}.`)
  const since = new Date(outcome.atMs).toISOString()
  console.error(
    `The dongle ${imei} is in ${outcome.publicId}${account === undefined ? '' : ` of ${account}`} since ${since}.`,
  )
}

async function erase(imei: DeviceId, { yes }: { readonly yes?: true }): Promise<void> {
  const unknown = new OperatorError(`There is no dongle ${imei}.`)
  if (!yes) {
    const found = await onServiceDatabase(database =>
      listDevices(database, { account: undefined, search: String(imei) }),
    )
    const device = found.find(item => item.imei === imei)
    if (!device) throw unknown
    throw new OperatorError(
      `The dongle ${imei} of ${device.account} in ${device.vehicleId}, its car, its trips and everything that it measured ` +
        'would be erased for good: give --yes to do it.',
    )
  }
  const outcome = await onServiceDatabase(database => deleteDevice(database, { deviceId: imei }))
  if (outcome.kind === 'unknown') throw unknown
  if (outcome.kind === 'refused') throw new OperatorError(`The dongle ${imei} ${outcome.text}.`)
  const cars = outcome.cars.length === 0 ? 'no car' : outcome.cars.join(', ')
  console.error(`The dongle ${imei} is gone, with ${cars} and ${outcome.trips} trips.`)
}

async function claims({ account, json }: ListOptions): Promise<void> {
  const listed = await onServiceDatabase(database => listClaims(database, account))
  if (json) return console.log(JSON.stringify(listed, undefined, 2))
  printTable(['imei', 'account', 'claimed', 'state', 'since', 'the dongle'], listed, claim => [
    String(claim.imei),
    claim.account,
    minuteText(claim.claimed),
    claim.state,
    minuteText(claim.changed),
    whose(claim),
  ])
}

function whose({ account, ownedBy, handedOutTo }: ListedClaim): string {
  if (ownedBy !== null && ownedBy !== account) return `belongs to ${ownedBy}`
  if (handedOutTo !== null && handedOutTo !== account) return `was handed out to ${handedOutTo}`
  return handedOutTo === null ? 'was handed out to nobody' : ''
}
