import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createKey, type KeyRecord, listKeys, revokeKey } from '../access/keys.ts'
import { generatePassword, hashPassword, passwordFault } from '../access/passwords.ts'
import { createUser, listUsers, revokeUser } from '../access/users.ts'
import {
  ALL_PERMISSIONS,
  CLIENT_PERMISSIONS,
  isPermission,
  PERMISSIONS,
  type Permission,
} from '../catalogue/permissions.ts'
import { minuteText } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import { inServiceTransaction, onServiceDatabase } from '../server/database.ts'
import { parseTimestamp } from '../server/http/timestamps.ts'
import { chooseAccount, parseName, printTable } from './terminal.ts'

interface UserOptions {
  readonly password?: string
  readonly generate?: true
  readonly account?: string
  readonly permissions: readonly Permission[]
}

export function registerUser(program: Command): void {
  const user = program.command('user').description('people who log in with e-mail address and password')
  user
    .command('create')
    .description('let somebody log in; asks for the password if none is given')
    .argument('<email>', 'e-mail address')
    .option('--password <password>', 'the password; others on this machine may see it in the list of processes')
    .option('--generate', 'make a password and print it')
    .option(
      '--account <name>',
      'account whose data the user sees, made if there is none (default: the first account)',
      parseName,
    )
    .addOption(permissionsOption())
    .addHelpText('after', permissionsHelp)
    .action(createUserFromOptions)
  user.command('list').description('show all users, revoked ones included').action(printUsers)
  user
    .command('revoke')
    .description('take access away, within a second')
    .argument('<email>', 'e-mail address')
    .action(revokeUserByEmail)
}

async function createUserFromOptions(email: string, options: UserOptions): Promise<void> {
  if (options.password !== undefined && options.generate)
    throw new OperatorError('Give either --password or --generate.')
  const password = options.generate ? generatePassword() : (options.password ?? (await askNewPassword()))
  const fault = await passwordFault(password, email)
  if (fault !== undefined) throw new OperatorError(`The password ${fault}.`)
  const passwordHash = await hashPassword(password)
  const account = await inServiceTransaction(async transaction => {
    const chosen = await chooseAccount(transaction, options.account)
    const user = { accountId: chosen.id, email, passwordHash, permissions: options.permissions }
    const outcome = await createUser(transaction, user)
    if (outcome.kind === 'refused') throw new OperatorError(outcome.text)
    return chosen
  })
  console.error(`${email} may log in to ${account.label}.${options.generate ? ' The password:' : ''}`)
  if (options.generate) console.log(password)
}

async function printUsers(): Promise<void> {
  const users = await onServiceDatabase(database => listUsers(database))
  printTable(['email', 'account', 'state', 'created', 'permissions'], users, user => [
    user.email,
    user.accountName,
    user.revoked === null ? 'valid' : `revoked ${minuteText(user.revoked)}`,
    minuteText(user.created),
    permissionsText(user.permissions),
  ])
}

async function revokeUserByEmail(email: string): Promise<void> {
  const wasThere = await inServiceTransaction(transaction => revokeUser(transaction, email))
  if (!wasThere) throw new OperatorError(`There is no user ${email}.`)
  console.error(`${email} may not log in any more, and all its tokens are invalid.`)
}

interface KeyOptions {
  readonly account?: string
  readonly permissions: readonly Permission[]
  readonly expires?: string | number
}

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
    .action(createKeyFromOptions)
  key.command('list').description('show all keys, expired and revoked ones included').action(printKeys)
  key
    .command('revoke')
    .description('make a key invalid, within a second')
    .argument('<key>', 'its id or prefix, as `list` shows them, or the key itself')
    .action(revokeKeyNamed)
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

async function createKeyFromOptions(name: string, { account, permissions, expires }: KeyOptions): Promise<void> {
  const made = await inServiceTransaction(async transaction => {
    const chosen = await chooseAccount(transaction, account)
    return {
      account: chosen,
      key: (await createKey(transaction, { accountId: chosen.id, name, permissions, expires })).secret,
    }
  })
  // On standard error, so that a script can capture the key alone.
  console.error(`The key "${name}" of ${made.account.label}; it is not shown again:`)
  console.log(made.key)
}

async function printKeys(): Promise<void> {
  const keys = await onServiceDatabase(database => listKeys(database))
  printTable(
    ['id', 'name', 'prefix', 'account', 'state', 'created', 'expires', 'permissions', 'made by'],
    keys,
    key => [
      String(key.id),
      key.name,
      key.prefix,
      key.accountName,
      stateOf(key),
      minuteText(key.created),
      minuteText(key.expires),
      permissionsText(key.permissions),
      key.maker?.name ?? 'operator',
    ],
  )
}

function stateOf(key: KeyRecord): string {
  if (key.revoked !== null) return `revoked ${minuteText(key.revoked)}`
  if (key.isExpired) return 'expired'
  return key.isResting ? 'resting' : 'valid'
}

async function revokeKeyNamed(idOrPrefix: string): Promise<void> {
  const names = await inServiceTransaction(transaction => revokeKey(transaction, idOrPrefix))
  const [name, ...others] = names
  if (name === undefined) throw new OperatorError('There is no valid key with that id or prefix; see `tacho key list`.')
  if (others.length > 0) throw new OperatorError(`${names.length} keys have that prefix: name one by its id.`)
  console.error(`The key "${name}" is invalid from now on.`)
}

function permissionsOption(): Option {
  return new Option('--permissions <list>', 'types of data, separated by commas, or "all"')
    .default(CLIENT_PERMISSIONS, 'all but ingest and administration')
    .argParser(parsePermissions)
}

function parsePermissions(text: string): readonly Permission[] {
  const words = text
    .split(',')
    .map(word => word.trim().toLowerCase())
    .filter(Boolean)
  if (words.length === 1 && words[0] === 'all') return ALL_PERMISSIONS
  const unknown = words.find(word => !isPermission(word))
  if (unknown !== undefined || words.length === 0)
    throw new InvalidArgumentError(`It must be "all" or a list of ${ALL_PERMISSIONS.join(', ')}.`)
  return [...new Set(words.filter(isPermission))]
}

function permissionsText(permissions: readonly string[]): string {
  return ALL_PERMISSIONS.every(permission => permissions.includes(permission)) ? 'all' : permissions.join(',')
}

function permissionsHelp(): string {
  const width = Math.max(...ALL_PERMISSIONS.map(permission => permission.length))
  const lines = ALL_PERMISSIONS.map(permission => `  ${permission.padEnd(width)}  ${PERMISSIONS[permission]}`)
  return `\nPermissions:\n${lines.join('\n')}`
}

/** Asks for a new password twice, without showing it. @throws OperatorError when there is no terminal or they differ */
async function askNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) throw new OperatorError('A password is needed: give --password or --generate.')
  const [password, again] = await askSecrets(['Password: ', 'Once more: '])
  if (password === undefined || again === undefined) throw new OperatorError('Nothing was changed.')
  if (password !== again) throw new OperatorError('These are two different passwords.')
  return password
}

/** @returns fewer answers than prompts when it was cancelled. */
async function askSecrets(prompts: readonly string[]): Promise<string[]> {
  // The line editor works as usual, but its output is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 })
  lines.once('SIGINT', () => lines.close())
  const answers: string[] = []
  process.stderr.write(prompts[0] ?? '')
  for await (const line of lines) {
    answers.push(line)
    process.stderr.write(`\n${prompts[answers.length] ?? ''}`)
    if (answers.length === prompts.length) break
  }
  lines.close()
  if (answers.length < prompts.length) process.stderr.write('\n')
  return answers
}
