import { Agent, request } from 'node:http'

/** Sends bodies over a fixed number of connections. @throws when one is not answered 200. */
export async function sendBodies(
  { url, key }: { readonly url: string; readonly key: string },
  bodies: readonly string[],
  connections: number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let next = 0
  const worker = async () => {
    while (next < bodies.length) await post(agent, `${url}/ingest/events`, key, bodies[next++] ?? '')
  }
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
}

function post(agent: Agent, url: string, key: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const sent = request(url, { method: 'POST', agent, headers }, reply => {
      reply
        .resume()
        .once('end', () => (reply.statusCode === 200 ? resolve() : reject(new Error(`status ${reply.statusCode}`))))
    })
    sent.once('error', reject).end(body)
  })
}

/** Reads an answer without looking at it. @returns how many bytes it has. */
export function download(agent: Agent, url: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { authorization: `Bearer ${key}` } }, reply => {
      let bytes = 0
      reply.on('data', (chunk: Buffer) => (bytes += chunk.length))
      reply.once('end', () =>
        reply.statusCode === 200 ? resolve(bytes) : reject(new Error(`status ${reply.statusCode}`)),
      )
    })
    sent.once('error', reject).end()
  })
}
