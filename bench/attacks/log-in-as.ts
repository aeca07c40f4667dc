import type { Doors } from './attack.ts'
import type { RawReply } from './raw-request.ts'

/** So that one machine can use addresses of many networks: the attacker is behind a trusted proxy. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.0/8' }

/** The network from which every tenant has logged in before. */
export const KNOWN_NETWORK = '127.0.0.1'

/** One of many networks, all of them those of documentation and tests (RFC 2544). */
export const networkOf = (index: number): string => `198.18.${Math.floor(index / 250) % 250}.${(index % 250) + 1}`

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
