import { constants, createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib'

/** What a stream of Node has under it. It is not documented; Node keeps it as it is because npm unpacks its packages by it. */
interface Inflating {
  readonly _handle: {
    writeSync(
      flush: number,
      from: Uint8Array,
      fromOffset: number,
      fromLength: number,
      into: Uint8Array,
      intoOffset: number,
      intoLength: number,
    ): void
    reset(): void
  }
  /** After a write, how many bytes were left: of `into`, and of `from`. */
  readonly _writeState: Uint32Array
}

/** Most columns of a day have less. */
const USUAL_BYTES = 16_384

let into = new Uint8Array(USUAL_BYTES)
let reused = streamToReuse()

/**
 * Inflates a few bytes (RFC 1951). A day has a dozen columns, and for `inflateRawSync` Node makes a stream and memory for each of them, which
 * takes twice as long as to inflate it.
 * @returns what is written over the next time
 * @throws an error of zlib for bytes that are none
 */
export function inflatedBriefly(bytes: Uint8Array): Uint8Array {
  if (!reused) return inflateRawSync(bytes)
  const { _handle, _writeState } = reused
  for (;;) {
    _handle.writeSync(constants.Z_FINISH, bytes, 0, bytes.length, into, 0, into.length)
    const { errored } = reused
    if (errored) {
      reused = streamToReuse()
      throw errored
    }
    const [left = 0] = _writeState
    _handle.reset()
    if (left > 0) return into.subarray(0, into.length - left)
    into = new Uint8Array(2 * into.length)
  }
}

/** @returns undefined where this version of Node has another one */
function streamToReuse(): (InflateRaw & Inflating) | undefined {
  const stream = createInflateRaw()
  // What it throws is thrown where it is asked.
  stream.on('error', () => undefined)
  return isReusable(stream) ? stream : undefined
}

function isReusable(stream: InflateRaw): stream is InflateRaw & Inflating {
  const { _handle, _writeState } = stream as Partial<Inflating>
  return (
    typeof _handle?.writeSync === 'function' &&
    typeof _handle.reset === 'function' &&
    _writeState instanceof Uint32Array &&
    _writeState.length === 2
  )
}
