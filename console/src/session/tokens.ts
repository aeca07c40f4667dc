/** What the token endpoint gave. */
export interface Tokens {
  /** Stays the same from one login to the next, however often its tokens are renewed. */
  readonly loginId: string
  readonly accessToken: string
  readonly refreshToken: string
  /** From when on the access token is to be renewed, by this machine's clock. */
  readonly renewMs: number
}

const STORED_AS = 'tacho.session'

const listeners = new Set<() => void>()
let current = read()

// A login or logout in one tab applies to all of them. Without a key everything was removed.
window.addEventListener('storage', event => {
  if (event.key !== STORED_AS && event.key !== null) return
  current = read()
  for (const listener of listeners) listener()
})

/** Undefined while no user is logged in. */
export function tokens(): Tokens | undefined {
  return current
}

export function setTokens(given: Tokens | undefined): void {
  current = given
  if (given) localStorage.setItem(STORED_AS, JSON.stringify(given))
  else localStorage.removeItem(STORED_AS)
  for (const listener of listeners) listener()
}

export function onTokens(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function read(): Tokens | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED_AS) ?? 'null')
    return isTokens(stored) ? stored : undefined
  } catch {
    return undefined
  }
}

function isTokens(value: unknown): value is Tokens {
  if (typeof value !== 'object' || value === null) return false
  const { loginId, accessToken, refreshToken, renewMs } = value as Partial<Record<keyof Tokens, unknown>>
  const areTexts = [loginId, accessToken, refreshToken].every(text => typeof text === 'string')
  return areTexts && typeof renewMs === 'number'
}
