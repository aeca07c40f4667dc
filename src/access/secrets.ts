import { hash, randomBytes } from 'node:crypto'

const SECRET_BYTES = 32

/** A new key or token: 256 random bits. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** The form in which keys and tokens are stored and looked up. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
