import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { gunzipSync } from 'node:zlib'

/** What a test asks; the same fields as `fetch` has. */
export interface Question {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A complete reply. Of a stream of events, which has no end, only that it began. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A form as `fetch` would encode it. */
export async function postedForm(form: FormData | URLSearchParams): Promise<Question> {
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
  return { method: 'POST', headers, body: await encoded.text() }
}

/** Free connections are given up before a service does so, after six seconds: what is sent at that moment fails. */
const agent = new Agent({ keepAlive: true, timeout: 4000 })

/**
 * Asks over HTTP, on connections that are kept, and accepts compressed replies. `fetch` takes three times as much processor time,
 * and tests ask ten thousand times. Rejects when the connection fails.
 */
export async function askHttp(url: string, { method = 'GET', headers = {}, body }: Question = {}): Promise<Reply> {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = { 'accept-encoding': 'gzip', ...length, ...headers }
    const asking = request(url, { agent, method, headers: sent }, resolve)
    asking.on('error', reject)
    asking.end(body)
  })
  const isStream = reply.headers['content-type']?.startsWith('text/event-stream')
  if (isStream) reply.destroy()
  return {
    status: reply.statusCode ?? 0,
    headers: headersOf(reply.headers),
    text: isStream ? '' : await textOf(reply),
  }
}

async function textOf(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of reply) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const isCompressed = reply.headers['content-encoding'] === 'gzip' && bytes.length > 0
  return (isCompressed ? gunzipSync(bytes) : bytes).toString()
}

function headersOf(given: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(given))
    for (const value of [values].flat()) headers.append(name, value)
  return headers
}
