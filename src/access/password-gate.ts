import { createGate, type Waiting } from './gate.ts'
import { hashPassword } from './passwords.ts'

/**
 * The gate for checking and hashing passwords, one per process like the thread pool on which argon2 runs: two leave the
 * others of Node's four threads to everything else. Concurrent logins do not see each other's failures, so this also bounds
 * how many slip past the slow-down. Known callers queue by account, all others by network and one at
 * a time, so that a crowd of them keeps at most one core busy.
 */
export const passwordGate = createGate({
  atOnce: 2,
  othersAtOnce: 1,
  waiting: 1000,
  waitingEach: 20,
  longestWaitMs: 10_000,
})

/**
 * The gate for looking up the user of an attempt. It comes first, because only the database knows who is known there. It
 * queues by network, so that many attempts from one delay those from another by only one. One at a time, because callers
 * with a token are looked up over the same few connections.
 */
export const attemptGate = createGate({ atOnce: 1, waiting: 5000, waitingEach: 50, longestWaitMs: 10_000 })

/** For known callers. */
export const ofAccount = (accountId: number): Waiting => ({ name: `account ${accountId}`, isKnown: true })

/** `hashPassword` for a service, in turn with those who log in. @throws ClientError 503 when too many wait. */
export function hashBehindGate(password: string, who: Waiting): Promise<string> {
  return passwordGate(() => hashPassword(password), who)
}
