import type { FastifyRequest } from 'fastify'
import { actorOf } from '../../access/callers.ts'
import { type Details, type SecurityKind, writeLines } from '../../access/security-log.ts'
import type { Database } from '../../db/database.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'
import { callerOf } from '../../server/http/access.ts'

/** A change by an administrator. Its details never hold a password or a key. */
interface Administered<Result> {
  readonly kind: SecurityKind
  readonly details: Details
  readonly result: Result
}

/** The line of the security log is written in the transaction of the change. */
export async function administer<Result>(
  { request }: { readonly request: FastifyRequest },
  database: Database,
  work: (transaction: Transaction) => Promise<Administered<Result>>,
): Promise<Result> {
  const caller = callerOf(request)
  const { kind, details, result } = await writeTransaction(database, async transaction => {
    const done = await work(transaction)
    await writeLines(transaction, [
      { kind: done.kind, actor: actorOf(caller), address: request.ip, details: done.details },
    ])
    return done
  })
  const { id, name, accountId } = caller
  request.log.info(
    {
      administrator: { kind: caller.kind, id, name, accountId },
      change: { action: kind.replaceAll('-', ' '), ...details },
    },
    'administration',
  )
  return result
}
