import type { Command } from 'commander'
import { passwordFault } from '../access/password-fault.ts'
import { generatePassword, hashPassword } from '../access/passwords.ts'
import { createUser, listUsers, revokeUser } from '../access/users.ts'
import type { Permission } from '../catalogue/permissions.ts'
import { writeTransaction } from '../db/transaction.ts'
import { minuteText, table } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import { onServiceDatabase } from '../server/database.ts'
import { parseName } from './arguments.ts'
import { askNewPassword } from './ask-password.ts'
import { chooseAccount } from './chosen-account.ts'
import { permissionsHelp, permissionsOption, permissionsText } from './permission-list.ts'

interface CreateOptions {
  readonly password?: string
  readonly generate?: true
  readonly account?: string
  readonly permissions: readonly Permission[]
}

/** `tacho user`: people who log in with e-mail address and password. */
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
    .action(create)
  user.command('list').description('show all users, revoked ones included').action(list)
  user
    .command('revoke')
    .description('take access away, within a second')
    .argument('<email>', 'e-mail address')
    .action(revoke)
}

async function create(email: string, options: CreateOptions): Promise<void> {
  if (options.password !== undefined && options.generate)
    throw new OperatorError('Give either --password or --generate.')
  const password = options.generate ? generatePassword() : (options.password ?? (await askNewPassword()))
  const fault = await passwordFault(password, email)
  if (fault !== undefined) throw new OperatorError(`The password ${fault}.`)
  const passwordHash = await hashPassword(password)
  const account = await onServiceDatabase(database =>
    writeTransaction(database, async transaction => {
      const chosen = await chooseAccount(transaction, options.account)
      const user = { accountId: chosen.id, email, passwordHash, permissions: options.permissions }
      const outcome = await createUser(transaction, user)
      if (outcome.kind === 'refused') throw new OperatorError(outcome.text)
      return chosen
    }),
  )
  console.error(`${email} may log in to ${account.label}.${options.generate ? ' The password:' : ''}`)
  if (options.generate) console.log(password)
}

async function list(): Promise<void> {
  const users = await onServiceDatabase(database => listUsers(database))
  console.log(
    table(
      ['email', 'account', 'state', 'created', 'permissions'],
      users.map(user => [
        user.email,
        user.accountName,
        user.revoked === null ? 'valid' : `revoked ${minuteText(user.revoked)}`,
        minuteText(user.created),
        permissionsText(user.permissions),
      ]),
    ),
  )
}

async function revoke(email: string): Promise<void> {
  const wasThere = await onServiceDatabase(database =>
    writeTransaction(database, transaction => revokeUser(transaction, email)),
  )
  if (!wasThere) throw new OperatorError(`There is no user ${email}.`)
  console.error(`${email} may not log in any more, and all its tokens are invalid.`)
}
