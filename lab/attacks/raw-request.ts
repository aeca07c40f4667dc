import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** A request that is sent as it stands, over a connection of its own. */
export interface RawRequest {
  readonly path: string
  readonly method?: string
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Where it comes from: an address of this machine, such as 127.0.9.1. */
  readonly from?: string | undefined
  readonly signal?: AbortSignal
}

export interface RawReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The address of attackers, so that limits by address do not affect others. Only Linux has more addresses than one. */
export const ATTACKER_ADDRESS: string | undefined = process.platform === 'linux' ? '127.0.66.6' : undefined

/** @throws when there is no answer */
export async function sendRaw(url: string, { path, method = 'GET', ...more }: RawRequest): Promise<RawReply> {
  const { token, headers = {}, body, from = ATTACKER_ADDRESS, signal } = more
  const sent = httpRequest(url + path, {
    method,
    agent: false,
    ...(from === undefined ? {} : { localAddress: from }),
    ...(signal ? { signal } : {}),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  })
  sent.end(body)
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: reply.statusCode ?? 0, headers: reply.headers, body: await text(reply) }
}
