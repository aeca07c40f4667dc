import { createAtom } from '@tanstack/react-store'
import { ApiError, apiErrorOf } from '../api/api-error.ts'

/** The application id of the contract (fleet-api-v2.md, *Authentication*). */
const CLIENT_ID = 'connectedCarApi'

/**
 * Every refresh token is used once, so that a copy of it is detected. Tabs that refresh at the same time get one each; the one that is
 * stored goes on.
 */
const ROTATION = { rotate_refresh_tokens: 'true' }

/** An access token is renewed this long before it ends, so that no request meets its end; a short one half-way. */
const RENEW_BEFORE_MS = 60_000

let refreshing: Promise<Tokens> | undefined

/** @throws {ApiError} 400 when the password is wrong, 429 after too many failures */
export async function logIn(username: string, password: string): Promise<void> {
  const given = await askForTokens({ grant_type: 'password', username, password })
  setTokens({ ...given, loginId: newLoginId(), userName: username })
}

/** Ends the session here and on the server. What the server answers does not matter: this browser has forgotten it. */
export async function logOut(): Promise<void> {
  const refreshToken = tokens.get()?.refreshToken
  setTokens(undefined)
  if (refreshToken === undefined) return
  await fetch('/auth/revoke', { method: 'POST', body: new URLSearchParams({ token: refreshToken }) }).catch(
    () => undefined,
  )
}

/** A token that is good now. @throws {ApiError} 401 when the session is over */
export async function accessToken(): Promise<string> {
  const known = tokens.get()
  if (!known) throw new ApiError(401, 'Unauthorized.')
  if (known.renewMs > Date.now()) return known.accessToken
  return (await renew()).accessToken
}

/** A token in place of one that was refused; another request may have got it already. @throws {ApiError} like `renew` */
export async function tokenAfter(refusedToken: string): Promise<string> {
  const known = tokens.get()
  return known && known.accessToken !== refusedToken ? known.accessToken : (await renew()).accessToken
}

/** Exchanges the refresh token, once for all requests that wait. @throws {ApiError} 401 when the session is over */
function renew(): Promise<Tokens> {
  refreshing ??= exchangeRefreshToken().finally(() => {
    refreshing = undefined
  })
  return refreshing
}

async function exchangeRefreshToken(): Promise<Tokens> {
  const known = tokens.get()
  if (!known) throw new ApiError(401, 'Unauthorized.')
  try {
    const given = await askForTokens({ grant_type: 'refresh_token', refresh_token: known.refreshToken })
    if (tokens.get() !== known) return tokensOfLogin(known.loginId)
    const renewed = { ...given, loginId: known.loginId, userName: known.userName }
    setTokens(renewed)
    return renewed
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 401)) throw error
    if (tokens.get() !== known) return tokensOfLogin(known.loginId)
    setTokens(undefined)
    throw new ApiError(401, error.message)
  }
}

/**
 * What another tab has stored during the request of this one. The user may have logged out, or in as another user: then what
 * this one got is of no use, and must not bring the old session back.
 */
function tokensOfLogin(loginId: string): Tokens {
  const stored = tokens.get()
  if (stored?.loginId !== loginId) throw new ApiError(401, 'Unauthorized.')
  return stored
}

/** Not `randomUUID`, which browsers have for pages of HTTPS only. */
function newLoginId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

async function askForTokens(parameters: Record<string, string>): Promise<Omit<Tokens, 'loginId' | 'userName'>> {
  const body = new URLSearchParams({ client_id: CLIENT_ID, ...ROTATION, ...parameters })
  const response = await fetch('/auth/token', { method: 'POST', body }).catch(() => {
    throw new ApiError(0, 'The service cannot be reached.')
  })
  if (!response.ok) throw await apiErrorOf(response)
  const given = (await response.json()) as { access_token: string; refresh_token: string; expires_in: number }
  const lifetimeMs = given.expires_in * 1000
  return {
    accessToken: given.access_token,
    refreshToken: given.refresh_token,
    renewMs: Date.now() + Math.max(lifetimeMs - RENEW_BEFORE_MS, lifetimeMs / 2),
  }
}

/** What the token endpoint gave. */
interface Tokens {
  /** Stays the same from one login to the next, however often its tokens are renewed. */
  readonly loginId: string
  /** Who logged in; absent where the login was made by another version of the console. */
  readonly userName?: string | undefined
  readonly accessToken: string
  readonly refreshToken: string
  /** From when on the access token is to be renewed, by this machine's clock. */
  readonly renewMs: number
}

const STORED_AS = 'tacho.session'

/** Undefined while no user is logged in. */
export const tokens = createAtom(read())

/** From then on a login or logout in one tab applies to all of them. */
export function startSession(): void {
  window.addEventListener('storage', event => {
    // Without a key everything was removed.
    if (event.key !== STORED_AS && event.key !== null) return
    tokens.set(read)
  })
}

function setTokens(given: Tokens | undefined): void {
  if (given) localStorage.setItem(STORED_AS, JSON.stringify(given))
  else localStorage.removeItem(STORED_AS)
  // The library takes `undefined` itself for no new value.
  tokens.set(() => given)
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
  const given = value as Partial<Record<keyof Tokens, unknown>>
  const areTexts = [given.loginId, given.accessToken, given.refreshToken].every(text => typeof text === 'string')
  return areTexts && typeof given.renewMs === 'number'
}
