import type { RawReply, RawRequest } from './raw-request.ts'

/** Something that one hostile or broken client does while others use the service normally. */
export interface Attack {
  /** As it is named at the command line. */
  readonly name: string
  /** The protection that it tries, in a few words. */
  readonly clause: string
  /** One sentence. */
  readonly what: string
  /** Settings that it needs; then it has a service of its own. */
  readonly environment?: Readonly<Record<string, string>>
  /**
   * Attacks until it is done or `signal` aborts; then it releases everything.
   * @param size `small` for a second or two, in a test
   * @returns the result, in one line
   * @throws when the service did not answer the attacker as it should
   */
  readonly run: (doors: Doors, size: AttackSize, signal: AbortSignal) => Promise<string>
}

export type AttackSize = 'small' | 'full'

/** The access of an attacker: a tenant like others, with its own account. */
export interface Doors {
  readonly api: HttpDoor
  /** The intake's own address, without the proxy in front of it. */
  readonly intake: HttpDoor
  /** TCP and UDP. */
  readonly teltonika: { readonly host: string; readonly port: number }
  readonly attacker: Tenant
  /** A dongle of the second tenant, connected at the time: IMEIs are no secrets, they are printed on the dongles. */
  readonly imeiOfSecondTenant: string
}

/** What an account has: every permission, and some dongles that have not reported yet. */
export interface Tenant {
  readonly account: string
  readonly email: string
  readonly password: string
  /** An access token of its user, by the password. */
  readonly userToken: string
  /** An API key. */
  readonly key: string
  readonly imeis: readonly string[]
}

/** An address that speaks HTTP. */
export interface HttpDoor {
  readonly url: string
  readonly host: string
  readonly port: number
  /** Sends a request as it is, from the attacker's address unless it names another. @throws when there is no answer. */
  send(request: RawRequest): Promise<RawReply>
}
