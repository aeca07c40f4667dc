import { setTimeout as sleep } from 'node:timers/promises'
import type { AttackSize, Doors } from './attack.ts'
import type { RawReply } from './raw-request.ts'

/** So that one machine can use addresses of many networks: the attacker is behind a trusted proxy. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.0/8' }

/** The network from which every tenant has logged in before. */
const KNOWN_NETWORK = '127.0.0.1'

/** One of many networks, all of them those of documentation and tests (RFC 2544). */
export const networkOf = (index: number): string => `198.18.${Math.floor(index / 250) % 250}.${(index % 250) + 1}`

/** On a slow machine somebody may be told to wait, and gets in afterwards. */
const MOST_TOLD_TO_WAIT = { small: 20, full: 0 }

/**
 * The attacker's own user logs in from a known place.
 * @throws when it does not get in; in the small attack, a few times it may be told to wait
 */
export async function logInFromKnownPlace(doors: Doors, size: AttackSize): Promise<void> {
  for (let toldToWait = 0; ; toldToWait++) {
    const { status, headers, body } = await logInAs(doors, doors.attacker, KNOWN_NETWORK)
    if (status === 200) return
    if (status !== 503 || toldToWait >= MOST_TOLD_TO_WAIT[size])
      throw new Error(`a login from a known place was answered ${status} ${body}`)
    await sleep(Number(headers['retry-after'] ?? 1) * 1000)
  }
}

/** One attempt with a password. @param network the address it comes from */
export function logInAs(
  { api }: Doors,
  { email, password }: { readonly email: string; readonly password: string },
  network: string,
  signal?: AbortSignal,
): Promise<RawReply> {
  return api.send({
    path: '/auth/token',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': network },
    body: new URLSearchParams({ grant_type: 'password', username: email, password }).toString(),
    ...(signal ? { signal } : {}),
  })
}
