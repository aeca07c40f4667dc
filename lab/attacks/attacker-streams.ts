import { once, setMaxListeners } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import { Answers } from './answers.ts'
import type { Doors } from './attack.ts'
import { ATTACKER_ADDRESS } from './raw-request.ts'

/** As many as one key may have open unless told otherwise. */
const STREAMS_A_KEY = 50

interface OpenedStreams {
  /** The answers to opening them. */
  readonly answers: Answers
  /** How many are open now. */
  open(): number
  close(): void
}

interface StreamsWanted {
  readonly count: number
  /** The query of each. */
  readonly queryOf: (index: number) => string
  /** Whether what comes is taken. */
  readonly takes: boolean
}

/** Opens live streams with as many keys as they need: an administrator may make some. */
export async function openStreams(
  { api, attacker }: Doors,
  { count, queryOf, takes }: StreamsWanted,
  signal: AbortSignal,
): Promise<OpenedStreams> {
  const keys = await Promise.all(
    Array.from({ length: Math.ceil(count / STREAMS_A_KEY) }, async (_, index) => {
      const body = JSON.stringify({ name: `key ${index}`, permissions: ALL_PERMISSIONS })
      const headers = { 'content-type': 'application/json' }
      const reply = await api.send({ path: '/admin/keys', method: 'POST', token: attacker.userToken, headers, body })
      if (reply.status !== 201) throw new Error(`a key was answered ${reply.status}`)
      return (JSON.parse(reply.body) as { readonly key: string }).key
    }),
  )
  setMaxListeners(0, signal)
  const answers = new Answers()
  const open = new Set<IncomingMessage>()
  const begin = async (index: number): Promise<void> => {
    const token = keys[Math.floor(index / STREAMS_A_KEY)]
    const sent = httpRequest(`${api.url}/stream?${queryOf(index)}`, {
      agent: false,
      ...(ATTACKER_ADDRESS === undefined ? {} : { localAddress: ATTACKER_ADDRESS }),
      headers: { authorization: `Bearer ${token}` },
    })
    sent.on('error', () => undefined).end()
    const [reply] = (await once(sent, 'response', { signal }).catch(error => {
      sent.destroy()
      throw error
    })) as [IncomingMessage]
    const status = reply.statusCode ?? 0
    answers.count(status)
    reply.on('error', () => undefined)
    if (status === 200) {
      open.add(reply)
      reply.once('close', () => open.delete(reply))
    }
    if (takes || status !== 200) reply.resume()
    else reply.pause()
  }
  await Promise.all(Array.from({ length: count }, (_, index) => begin(index).catch(() => undefined)))
  return {
    answers,
    open: () => open.size,
    close: () => {
      for (const reply of open) reply.destroy()
    },
  }
}
