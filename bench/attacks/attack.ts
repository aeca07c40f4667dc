import type { RawReply, RawRequest } from './raw-request.ts'

/** Something that one hostile or broken client does, while others go about their business. */
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
   * Attacks until it has done what it wanted, or `signal` says that its time is up; then it lets go of everything.
   * @param size `small` for a second or two, in a test
   * @returns what came of it, in one line
   * @throws when the service did not answer the attacker as it should
   */
  readonly run: (doors: Doors, size: AttackSize, signal: AbortSignal) => Promise<string>
}

export type AttackSize = 'small' | 'full'

/** Where an attacker gets in: a tenant like others, with an account of its own. */
export interface Doors {
  readonly api: HttpDoor
  /** The intake's own address, without the proxy in front of it. */
  readonly intake: HttpDoor
  /** TCP and UDP. */
  readonly teltonika: { readonly host: string; readonly port: number }
  readonly attacker: Tenant
  /** A dongle of the second tenant, connected at the time: IMEIs are no secrets, they stand on the dongles. */
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
