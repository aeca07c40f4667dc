import type { Command } from 'commander'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { type NetworksOf, readAllowedNetworks, setAllowedNetworks } from '../fleet/provisioning/allowed-networks.ts'
import { readKnownImei } from '../fleet/provisioning/entry-values.ts'
import { isNetwork } from '../lib/networks.ts'
import { OperatorError } from '../model/errors.ts'
import type { DeviceId } from '../model/sample.ts'
import { onServiceDatabase } from '../server/database.ts'
import { parsedBy, parseName } from './arguments.ts'
import { accountIdOf } from './chosen-account.ts'

interface NetworkOptions {
  readonly allow?: readonly string[]
  readonly anywhere?: true
}

const ABOUT = 'show or set from which networks it may report over the door of Teltonika'

/** `tacho device networks` */
export function registerDeviceNetworks(device: Command): void {
  withOptions(device.command('networks').description(ABOUT))
    .argument('<imei>', 'its IMEI', parsedBy(readKnownImei))
    .action((deviceId: DeviceId, options: NetworkOptions) =>
      networks(`The dongle ${deviceId}`, async () => ({ kind: 'device', deviceId }), options),
    )
}

/** `tacho account networks`, for dongles that have none of their own. */
export function registerAccountNetworks(account: Command): void {
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
  const allowed = await onServiceDatabase(database =>
    writeTransaction(database, async transaction => {
      const of = await find(transaction)
      if (wanted && !(await setAllowedNetworks(transaction, of, wanted))) return undefined
      return readAllowedNetworks(transaction, of)
    }),
  )
  if (!allowed) throw new OperatorError(`${whose} is not there.`)
  const from = allowed.length === 0 ? 'anywhere' : allowed.join(', ')
  if (wanted) console.error(`${whose} may report from ${from}, within five minutes.`)
  else console.log(from)
}
