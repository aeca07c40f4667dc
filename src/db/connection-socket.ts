import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net'
import { isReceivingRows } from './copy-receiver.ts'

/** As much as a socket gives at once. All connections share it: what is in it is taken before the next one reads. */
const bytes = Buffer.allocUnsafeSlow(65_536)

/**
 * The socket of a connection, for the driver's setting `stream`. Node takes new memory for each read: a history of some
 * megabytes had the collector mark all that the process holds, for memory that is outside of its heap. The rows of a COPY are taken from
 * where they were read; for all else, the driver gets a copy. TLS reads from the socket by itself.
 */
export function connectionSocket(config?: { readonly ssl?: unknown }): Socket {
  if (config?.ssl) return new Socket()
  const options: SocketConstructorOpts & ConnectOpts = {
    onread: {
      buffer: bytes,
      callback(length) {
        const read = bytes.subarray(0, length)
        socket.emit('data', isReceivingRows(socket) ? read : Buffer.from(read))
        return true
      },
    },
  }
  const socket = new Socket(options)
  return socket
}
