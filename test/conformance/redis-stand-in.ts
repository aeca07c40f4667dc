import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

/** The part of a Redis server that counting requests needs: it runs one script, and speaks RESP 2. */
interface RedisStandIn {
  readonly url: string
  readonly keys: () => readonly string[]
  /** Like one that was sent SIGSTOP: it can be connected to, and answers nothing until it thaws; or this instead of a count. */
  freeze(error?: string): void
  thaw(): void
  stop(): Promise<void>
}

export async function startRedisStandIn(): Promise<RedisStandIn> {
  const windows = new Map<string, { count: number; endsMs: number }>()
  const sockets = new Set<Socket>()
  let isFrozen = false
  let refusal: string | undefined

  function reply([name = '', ...words]: readonly string[]): string {
    switch (name.toLowerCase()) {
      case 'info':
        return bulk('redis_version:7.2.0\r\nloading:0\r\n')
      case 'evalsha':
        return '-NOSCRIPT No matching script.\r\n'
      case 'eval': {
        if (refusal !== undefined) return `-${refusal}\r\n`
        const [, , key = '', windowMs = '0'] = words
        const { count, endsMs } = increment(key, Number(windowMs))
        return `*2\r\n:${count}\r\n:${Math.max(endsMs - Date.now(), 0)}\r\n`
      }
      default:
        return '+OK\r\n'
    }
  }

  function increment(key: string, windowMs: number) {
    const known = windows.get(key)
    const window = known && known.endsMs > Date.now() ? known : { count: 0, endsMs: Date.now() + windowMs }
    window.count++
    windows.set(key, window)
    return window
  }

  const server = createServer(socket => {
    sockets.add(socket)
    let received = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text
      for (let command = readCommand(received); command; command = readCommand(received)) {
        received = received.slice(command.length)
        socket.write(reply(command.words))
      }
    })
    socket.on('error', () => socket.destroy())
    if (isFrozen) socket.pause()
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: () => [...windows.keys()],
    freeze(error) {
      refusal = error
      isFrozen = error === undefined
      if (isFrozen) for (const socket of sockets) socket.pause()
    },
    thaw() {
      refusal = undefined
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => {
        server.close(resolve)
      })
    },
  }
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`
}

/** The first command of a text: `*<words>`, then `$<length>` and the word for each; undefined while it is incomplete. */
function readCommand(text: string): { readonly words: readonly string[]; readonly length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text)
  if (!head) return undefined
  const words: string[] = []
  let at = head[0].length
  for (let word = 0; word < Number(head[1]); word++) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 16))
    if (!size) return undefined
    const start = at + size[0].length
    at = start + Number(size[1]) + 2
    if (at > text.length) return undefined
    words.push(text.slice(start, at - 2))
  }
  return { words, length: at }
}
