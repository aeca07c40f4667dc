import type { Broken, StreamPacket } from '../../shared/binary/protocol.ts'
import { CHECKSUM_BYTES, DATA_HEAD_BYTES, DATA_TAIL_BYTES, FRAME_HEAD_BYTES, IMEI_DIGITS } from './sizes.ts'

const KEEP_ALIVE: StreamPacket = { kind: 'keep-alive', answer: undefined }
/** It may be sent between two packets. */
const KEEP_ALIVE_BYTE = 0xff

const LOGIN_HEAD_BYTES = 2
const LEAST_DATA_BYTES = DATA_HEAD_BYTES + DATA_TAIL_BYTES

const LOGIN_ACCEPTED = Buffer.of(1)
export const LOGIN_REFUSED = Buffer.of(0)

/**
 * The length of the packet that begins here. A login is two bytes with the length, then the digits; a frame is four zero
 * bytes, the length of the data, the data, and their checksum.
 */
export function tcpPacketBytes(begin: Buffer, isLoggedIn: boolean): number | undefined | Broken {
  if (begin[0] === KEEP_ALIVE_BYTE) return 1
  if (!isLoggedIn) {
    if (begin.length < LOGIN_HEAD_BYTES) return undefined
    const digits = begin.readUInt16BE(0)
    if (digits !== IMEI_DIGITS) return broken(`The login has ${digits} bytes, an IMEI ${IMEI_DIGITS}.`)
    return LOGIN_HEAD_BYTES + IMEI_DIGITS
  }
  if (begin.length < FRAME_HEAD_BYTES) return undefined
  if (begin.readUInt32BE(0) !== 0) return broken('A frame must begin with four zero bytes.')
  const dataBytes = begin.readUInt32BE(4)
  if (dataBytes < LEAST_DATA_BYTES)
    return broken(`A frame says that it has ${dataBytes} bytes of data; none is that short.`)
  return FRAME_HEAD_BYTES + dataBytes + CHECKSUM_BYTES
}

/** Reads a packet of that length. */
export function readTcpPacket(bytes: Buffer, isLoggedIn: boolean): StreamPacket | Broken {
  if (bytes[0] === KEEP_ALIVE_BYTE) return KEEP_ALIVE
  if (isLoggedIn) return { kind: 'frame', bytes }
  const imei = bytes.toString('latin1', LOGIN_HEAD_BYTES)
  if (!/^\d+$/.test(imei)) return broken('The login is not the digits of an IMEI.')
  return { kind: 'login', imei, accepted: LOGIN_ACCEPTED }
}

function broken(why: string): Broken {
  return { kind: 'broken', why }
}
