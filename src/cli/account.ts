import { type Command, InvalidArgumentError } from 'commander'
import { ensureAccount, listAccounts } from '../access/accounts.ts'
import { type QuotaChoice, readQuotaChoice, setQuota } from '../db/account-quotas.ts'
import type { Transaction } from '../db/transaction.ts'
import { handOut, type ImeiRange, listHandedOut, takeBack } from '../fleet/claims.ts'
import { readImei, readImeiRange } from '../fleet/device-entry.ts'
import { type NetworksOf, readAllowedNetworks, setAllowedNetworks } from '../fleet/devices.ts'
import { isNetwork } from '../lib/networks.ts'
import { minuteText } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import type { DeviceId } from '../model/sample.ts'
import { inServiceTransaction, onServiceDatabase } from '../server/database.ts'
import { accountIdOf, parsedBy, parseName, printTable } from './terminal.ts'

export function registerAccount(program: Command): void {
  const account = program.command('account').description('customers, each with its own devices, users and keys')
  account.command('add').description('make an account').argument('<name>', 'its name', parseName).action(add)
  account.command('list').description('show all accounts').action(printAccounts)
  account
    .command('quota')
    .description('show, or set, how much an account may send and keep')
    .argument('<name>', 'its name', parseName)
    .option(
      '--events-per-minute <number>',
      'events that it may send in a minute; none, or default for the setting',
      choice,
    )
    .option('--volume-mb <number>', 'megabytes that are kept of it; none, or default for the setting', choice)
    .action(quota)
  registerRanges(account)
  registerAccountNetworks(account)
}

async function add(name: string): Promise<void> {
  const { isNew } = await inServiceTransaction(transaction => ensureAccount(transaction, name))
  console.error(isNew ? `The account ${name} was made.` : `There is an account ${name} already.`)
}

async function printAccounts(): Promise<void> {
  const accounts = await onServiceDatabase(listAccounts)
  printTable(['name', 'dongles', 'vehicles', 'users', 'keys', 'created'], accounts, item => [
    item.name,
    ...[item.devices, item.vehicles, item.users, item.keys].map(String),
    minuteText(item.created),
  ])
}

interface QuotaOptions {
  readonly eventsPerMinute?: QuotaChoice
  readonly volumeMb?: QuotaChoice
}

async function quota(name: string, { eventsPerMinute, volumeMb }: QuotaOptions): Promise<void> {
  const now = await inServiceTransaction(async transaction => {
    const accountId = await accountIdOf(transaction, name)
    await setQuota(transaction, accountId, { eventsPerMinute, volumeMb })
    return readQuotaChoice(transaction, accountId)
  })
  printTable(
    ['name', 'events a minute', 'volume', 'kept'],
    [[name, String(now.eventsPerMinute), megabytes(now.volumeMb), megabytes(Math.round(now.volumeBytes / 1e6))]],
    row => row,
  )
}

function megabytes(volumeMb: QuotaChoice): string {
  return typeof volumeMb === 'number' ? `${volumeMb} MB` : volumeMb
}

const MOST = 1_000_000_000

function choice(text: string): QuotaChoice {
  if (text === 'none' || text === 'default') return text
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > MOST)
    throw new InvalidArgumentError(`A whole number from 1 to ${MOST}, none or default is needed.`)
  return number
}

function registerRanges(account: Command): void {
  const imeis = (description: string) =>
    [
      '<imeis...>',
      description,
      // Commander passes the value parsed so far.
      (text: string, before: readonly ImeiRange[] = []) => [...before, parsedBy(readImeiRange)(text)],
    ] as const
  account
    .command('hand-out')
    .description('let an account register dongles itself; needed once there are several accounts')
    .argument('<account>', 'its name', parseName)
    .argument(...imeis('IMEIs, and ranges such as 356307042441000-356307042441999'))
    .action(handOutRanges)
  account
    .command('take-back')
    .description('take IMEIs back; dongles that are there stay where they are')
    .argument('<account>', 'its name', parseName)
    .argument(...imeis('IMEIs and ranges'))
    .action(takeRangesBack)
  account
    .command('ranges')
    .description('show which IMEIs were handed out')
    .argument('[account]', 'to one account', parseName)
    .action(printRanges)
}

async function handOutRanges(account: string, ranges: readonly ImeiRange[]): Promise<void> {
  const elsewhere = await inServiceTransaction(async transaction => {
    const accountId = await accountIdOf(transaction, account)
    const conflicts: string[] = []
    for (const range of ranges) {
      const outcome = await handOut(transaction, accountId, range)
      // Then nothing of the command takes effect.
      if (outcome.kind === 'taken')
        throw new OperatorError(
          outcome.by.map(by => `${rangeText(by)} was handed out to ${by.account} already.`).join('\n'),
        )
      conflicts.push(...outcome.elsewhere.map(item => `The dongle ${item.deviceId} is in the account ${item.account}`))
    }
    return conflicts
  })
  console.error(`${ranges.map(rangeText).join(', ')} may be registered by ${account}.`)
  for (const conflict of elsewhere)
    console.error(`${conflict}: \`tacho device move --account\` or \`tacho device delete\` changes that.`)
}

async function takeRangesBack(account: string, ranges: readonly ImeiRange[]): Promise<void> {
  await inServiceTransaction(async transaction => {
    const accountId = await accountIdOf(transaction, account)
    for (const range of ranges)
      if (!(await takeBack(transaction, accountId, range)))
        throw new OperatorError(`Nothing of ${rangeText(range)} was handed out to ${account}.`)
  })
  console.error(`${ranges.map(rangeText).join(', ')} may no longer be registered by ${account}.`)
}

async function printRanges(account: string | undefined): Promise<void> {
  const ranges = await onServiceDatabase(database => listHandedOut(database, account))
  printTable(['account', 'imeis', 'dongles', 'since'], ranges, item => [
    item.account,
    rangeText(item),
    String(item.devices),
    minuteText(item.created),
  ])
}

function rangeText({ first, last }: ImeiRange): string {
  return first === last ? String(first) : `${first}-${last}`
}

interface NetworkOptions {
  readonly allow?: readonly string[]
  readonly anywhere?: true
}

const ABOUT = 'show or set from which networks it may report over the door of Teltonika'

export function registerDeviceNetworks(device: Command): void {
  withOptions(device.command('networks').description(ABOUT))
    .argument('<imei>', 'its IMEI', parsedBy(readImei))
    .action((deviceId: DeviceId, options: NetworkOptions) =>
      networks(`The dongle ${deviceId}`, async () => ({ kind: 'device', deviceId }), options),
    )
}

function registerAccountNetworks(account: Command): void {
  withOptions(account.command('networks').description('the same of its dongles that have no networks of their own'))
    .argument('<account>', 'its name', parseName)
    .action((name: string, options: NetworkOptions) =>
      networks(
        `The account ${name}`,
        async transaction => ({ kind: 'account', accountId: await accountIdOf(transaction, name) }),
        options,
      ),
    )
}

function withOptions(command: Command): Command {
  return command
    .option('--allow <networks>', 'from these alone, such as 10.64.0.0/10,192.0.2.7', parsedBy(readNetworks))
    .option('--anywhere', 'from anywhere again')
}

function readNetworks(text: string): readonly string[] {
  const items = text.split(',').map(item => item.trim())
  if (!items.every(isNetwork))
    throw new Error('must be addresses or networks such as 10.64.0.0/10, separated by commas')
  return items
}

async function networks(
  whose: string,
  find: (transaction: Transaction) => Promise<NetworksOf>,
  { allow, anywhere }: NetworkOptions,
): Promise<void> {
  if (allow && anywhere) throw new OperatorError('Give --allow or --anywhere, not both.')
  const wanted = anywhere ? [] : allow
  const allowed = await inServiceTransaction(async transaction => {
    const of = await find(transaction)
    if (wanted && !(await setAllowedNetworks(transaction, of, wanted))) return undefined
    return readAllowedNetworks(transaction, of)
  })
  if (!allowed) throw new OperatorError(`${whose} is not there.`)
  const from = allowed.length === 0 ? 'anywhere' : allowed.join(', ')
  if (wanted) console.error(`${whose} may report from ${from}, within five minutes.`)
  else console.log(from)
}
