import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { loginPacket } from '../teltonika-dongle/write-frame.ts'
import type { Doors } from './attack.ts'
import { ATTACKER_ADDRESS } from './raw-request.ts'

/** A new connection from the attacker's address to the port of dongles. */
export async function openDonglePeer({ host, port }: Doors['teltonika']): Promise<Socket> {
  const socket = connect({ host, port, ...(ATTACKER_ADDRESS === undefined ? {} : { localAddress: ATTACKER_ADDRESS }) })
  await once(socket, 'connect')
  // It may be cut at any time.
  return socket.on('error', () => undefined)
}

/** Logs in as a dongle. @returns the answer; undefined when the connection was closed without one. */
export async function sayImei(socket: Socket, imei: string): Promise<number | undefined> {
  const answered = Promise.race([
    once(socket, 'data').then(([bytes]) => (bytes as Buffer)[0]),
    once(socket, 'close').then(() => undefined),
  ])
  socket.write(loginPacket(imei))
  return answered
}

/** IMEIs of dongles that nobody has. */
export function madeUpImei(number: number): string {
  return String(359_990_000_000_000 + number)
}

/** Runs this many pieces of work, some of them at once, until the time is up. */
export async function inLanes(
  count: number,
  clients: number,
  signal: AbortSignal,
  work: (number: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const client = async () => {
    while (next < count && !signal.aborted) await work(next++)
  }
  await Promise.all(Array.from({ length: clients }, client))
}
