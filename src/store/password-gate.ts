import { createGate } from './gate.ts'
import { hashPassword } from './passwords.ts'

/**
 * Where passwords are checked and hashed. Of the process, as the threads are on which argon2 runs: two leave the others
 * of the standard four to everything else. Logins that run at once do not see each other's failures, so this also bounds
 * what slips past the slow-down.
 */
export const passwordGate = createGate({ atOnce: 2, waiting: 200, longestWaitMs: 10_000 })

/** `hashPassword` for a service, in turn with those who log in. @throws ClientError 503 when too many wait. */
export function hashBehindGate(password: string): Promise<string> {
  return passwordGate(() => hashPassword(password))
}
