import { type Command, InvalidArgumentError } from 'commander'
import { createKey, type KeyRecord, listKeys, revokeKey } from '../access/keys.ts'
import type { Permission } from '../catalogue/permissions.ts'
import { writeTransaction } from '../db/transaction.ts'
import { minuteText, table } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import { onServiceDatabase } from '../server/database.ts'
import { parseTimestamp } from '../server/http/timestamps.ts'
import { parseName } from './arguments.ts'
import { chooseAccount } from './chosen-account.ts'
import { permissionsHelp, permissionsOption, permissionsText } from './permission-list.ts'

interface CreateOptions {
  readonly account?: string
  readonly permissions: readonly Permission[]
  readonly expires?: string | number
}

/** `tacho key`: programs that send a key with every request. */
export function registerKey(program: Command): void {
  const key = program.command('key').description('keys for programs')
  key
    .command('create')
    .description('make a key and print it, this once')
    .argument('<name>', 'what it is for', parseName)
    .option(
      '--account <name>',
      'account whose data it opens, made if there is none (default: the first account)',
      parseName,
    )
    .addOption(permissionsOption())
    .option('--expires <when>', 'after a time such as 90d or 12h, or at an ISO 8601 timestamp', parseExpiry)
    .addHelpText('after', permissionsHelp)
    .action(create)
  key.command('list').description('show all keys, expired and revoked ones included').action(list)
  key
    .command('revoke')
    .description('make a key invalid, within a second')
    .argument('<key>', 'its id or prefix, as `list` shows them, or the key itself')
    .action(revoke)
}

const UNIT_S: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** @returns seconds from now, or an instant. */
function parseExpiry(text: string): string | number {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text.trim().toLowerCase()) ?? []
  if (count !== undefined && Number(count) > 0) return Number(count) * (UNIT_S[unit] ?? 0)
  const instant = parseTimestamp(text)
  if (instant === undefined)
    throw new InvalidArgumentError('It must be a time such as 90d, 12h or 4w, or a timestamp such as 2030-01-01.')
  if (Date.parse(instant) <= Date.now()) throw new InvalidArgumentError('That is in the past.')
  return instant
}

async function create(name: string, { account, permissions, expires }: CreateOptions): Promise<void> {
  const made = await onServiceDatabase(database =>
    writeTransaction(database, async transaction => {
      const chosen = await chooseAccount(transaction, account)
      return {
        account: chosen,
        key: (await createKey(transaction, { accountId: chosen.id, name, permissions, expires })).secret,
      }
    }),
  )
  // On standard error, so that a script can capture the key alone.
  console.error(`The key "${name}" of ${made.account.label}; it is not shown again:`)
  console.log(made.key)
}

async function list(): Promise<void> {
  const keys = await onServiceDatabase(database => listKeys(database))
  console.log(
    table(
      ['id', 'name', 'prefix', 'account', 'state', 'created', 'expires', 'permissions', 'made by'],
      keys.map(key => [
        String(key.id),
        key.name,
        key.prefix,
        key.accountName,
        stateOf(key),
        minuteText(key.created),
        minuteText(key.expires),
        permissionsText(key.permissions),
        key.maker?.name ?? 'operator',
      ]),
    ),
  )
}

function stateOf(key: KeyRecord): string {
  if (key.revoked !== null) return `revoked ${minuteText(key.revoked)}`
  if (key.isExpired) return 'expired'
  return key.isResting ? 'resting' : 'valid'
}

async function revoke(idOrPrefix: string): Promise<void> {
  const names = await onServiceDatabase(database =>
    writeTransaction(database, transaction => revokeKey(transaction, idOrPrefix)),
  )
  const [name, ...others] = names
  if (name === undefined) throw new OperatorError('There is no valid key with that id or prefix; see `tacho key list`.')
  if (others.length > 0) throw new OperatorError(`${names.length} keys have that prefix: name one by its id.`)
  console.error(`The key "${name}" is invalid from now on.`)
}
