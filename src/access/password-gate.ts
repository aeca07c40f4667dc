import { createGate, type Waiting } from './gate.ts'
import { hashPassword } from './passwords.ts'

/**
 * Where passwords are checked and hashed. Of the process, as the threads are on which argon2 runs: two leave the others
 * of the standard four to everything else. Logins that run at once do not see each other's failures, so this also bounds
 * what slips past the slow-down. Who is known queues by account, everybody else by network and one at
 * a time: a crowd of them keeps one core busy at most.
 */
export const passwordGate = createGate({
  atOnce: 2,
  othersAtOnce: 1,
  waiting: 1000,
  waitingEach: 20,
  longestWaitMs: 10_000,
})

/**
 * Where it is found out whom an attempt is about: before the other, as only the database knows who is known there. By
 * network, so that many attempts of one delay those of another by one. One at a time, as callers who have a token are looked
 * up over the same few connections.
 */
export const attemptGate = createGate({ atOnce: 1, waiting: 5000, waitingEach: 50, longestWaitMs: 10_000 })

/** Of those who are known. */
export const ofAccount = (accountId: number): Waiting => ({ name: `account ${accountId}`, isKnown: true })

/** `hashPassword` for a service, in turn with those who log in. @throws ClientError 503 when too many wait. */
export function hashBehindGate(password: string, who: Waiting): Promise<string> {
  return passwordGate(() => hashPassword(password), who)
}
