import { isNetwork } from './lib/networks.ts'

/** One setting of the environment: the row is the parser, the type, `.env.example` and the table of docs/operation/settings.md. */
interface Setting<T> {
  readonly name: string
  /** As it would be written in the environment; empty when unset means something of its own. */
  readonly standard: string
  readonly about: string
  readonly parse: (text: string) => T
  /** Its value may hold a password, so no message repeats it. */
  readonly isSecret: boolean
}

/** @throws a text that says what the value must be; the caller adds the name. */
type Parse<T> = (text: string) => T

export const text: Parse<string> = value => value

export const optionalText: Parse<string | undefined> = value => value || undefined

export const emailAddress: Parse<string> = value => {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw new Error('an e-mail address')
  return value
}

export function integer(least: number, most: number): Parse<number> {
  return value => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < least || number > most)
      throw new Error(`a whole number from ${least} to ${most}`)
    return number
  }
}

export function optional<T>(parse: Parse<T>): Parse<T | undefined> {
  return value => (value === '' ? undefined : parse(value))
}

export function unlessOff<T>(parse: Parse<T>): Parse<T | undefined> {
  return value => {
    if (value.toLowerCase() === 'off') return undefined
    try {
      return parse(value)
    } catch (error) {
      throw new Error(`${(error as Error).message}, or off`, { cause: error })
    }
  }
}

export function oneOf<const T extends string>(...words: T[]): Parse<T> {
  return value => {
    const word = words.find(candidate => candidate === value.toLowerCase())
    if (!word) throw new Error(`one of ${words.join(', ')}`)
    return word
  }
}

export const list: Parse<readonly string[]> = value =>
  value
    .split(',')
    .map(part => part.trim())
    .filter(Boolean)

export const networks: Parse<readonly string[]> = value => {
  const items = list(value)
  if (!items.every(isNetwork))
    throw new Error('addresses such as 10.0.0.1 or networks such as 10.0.0.0/8, separated by commas')
  return items
}

/** A text that may follow `Bearer` (RFC 6750, 2.1) and is too long to be guessed. */
export const bearerToken: Parse<string | undefined> = value => {
  if (value !== '' && !/^[\w\-.~+/]{16,}=*$/.test(value))
    throw new Error('at least 16 letters, digits and signs of -._~+/')
  return value || undefined
}

export function url(...schemes: string[]): Parse<string> {
  return value => {
    const scheme = URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : ''
    if (!schemes.includes(scheme))
      throw new Error(`an address that starts with ${schemes.map(s => `${s}://`).join(' or ')}`)
    return value
  }
}

/** For browsers to read: it goes to everybody, and no browser asks an address that holds a password. */
export const publicAddress: Parse<string> = value => {
  const address = url('http', 'https')(value)
  const { username, password } = new URL(address)
  if (username || password) throw new Error('an address without user and password')
  return address
}

export const setting = <T>(name: string, standard: string, about: string, parse: Parse<T>): Setting<T> => ({
  name,
  standard,
  about,
  parse,
  isSecret: false,
})

export const secret = <T>(...row: Parameters<typeof setting<T>>): Setting<T> => ({ ...setting(...row), isSecret: true })
