import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** One event as it arrived. */
interface ArrivedEvent {
  readonly deviceId: number
  readonly recordedTimestamp: string
  readonly eventType: string
  readonly value: unknown
}

/** What becomes of a request: stored and answered, stored but the answer lost, lost before, or answered with a status. */
type Fate =
  | 'answer'
  | 'lose answer'
  | 'lose request'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly errorMessage?: string }

interface IngestStandIn extends AsyncDisposable {
  readonly url: string
  /** Values by device, time and event type: one each, as the service keeps them. */
  readonly stored: ReadonlyMap<string, unknown>
  /** Requests in the order of their arrival. */
  readonly requests: readonly {
    readonly events: readonly ArrivedEvent[]
    readonly headers: IncomingMessage['headers']
  }[]
  /** The most requests that were open at one time. */
  mostOpen(): number
}

/** A real HTTP server that takes events the way the ingest does, for tests of those who send; `fate` decides on each request. */
export async function ingestStandIn(fate: (requestNumber: number) => Fate = () => 'answer'): Promise<IngestStandIn> {
  const stored = new Map<string, unknown>()
  const requests: IngestStandIn['requests'][number][] = []
  let open = 0
  let mostOpen = 0

  const store = (events: readonly ArrivedEvent[]) => {
    const before = stored.size
    for (const { deviceId, recordedTimestamp, eventType, value } of events)
      stored.set(`${deviceId} ${recordedTimestamp} ${eventType}`, value)
    return { accepted: stored.size - before, duplicates: events.length - (stored.size - before) }
  }

  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => request.socket.destroy(error as Error))
  })
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    mostOpen = Math.max(mostOpen, ++open)
    response.once('close', () => open--)
    const events = JSON.parse((await bodyOf(request)).toString()) as ArrivedEvent[]
    requests.push({ events, headers: request.headers })
    const decided = request.url === '/ingest/events' ? fate(requests.length) : { status: 404 }
    if (typeof decided === 'object') {
      response.writeHead(decided.status, { 'content-type': 'application/json', ...decided.headers })
      response.end(JSON.stringify({ errorMessage: decided.errorMessage ?? 'not now' }))
      return
    }
    const reply = decided === 'lose request' ? undefined : store(events)
    if (decided === 'answer') response.setHeader('content-type', 'application/json').end(JSON.stringify(reply))
    else request.socket.destroy()
  }
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stored,
    requests,
    mostOpen: () => mostOpen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => {
        server.close(resolve)
      })
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}
