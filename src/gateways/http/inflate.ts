import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ClientError } from '../../model/errors.ts'

/** Events that differ in nothing but their time get about a hundred times smaller; what unpacks to more is a trap. */
const MOST_TIMES = 200
/** As little may come from any number of bytes. */
const ALWAYS_BYTES = 1024 * 1024

/**
 * A body without its content encoding; the limit of the body counts what comes out.
 * @throws ClientError 415 for an encoding other than gzip
 */
export function inflated(encodingHeader: string | undefined, payload: Readable): Readable {
  const encoding = encodingHeader?.trim().toLowerCase()
  if (encoding === undefined || encoding === 'identity') return payload
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new ClientError(415, `The content encoding ${encoding} is not supported; gzip is.`)
  const gunzip = createGunzip()
  const counted = new CountedBody()
  payload.on('data', (chunk: Buffer) => {
    counted.receivedEncodedLength += chunk.length
  })
  payload.on('error', error => gunzip.destroy(error))
  gunzip.on('error', error => {
    if (!('status' in error)) Object.assign(error, { statusCode: 400, code: 'FST_ERR_CTP_INVALID_GZIP' })
    counted.destroy(error)
  })
  // What is refused is not unpacked any further.
  counted.on('close', () => gunzip.destroy())
  payload.pipe(gunzip).pipe(counted)
  return counted
}

class CountedBody extends Transform {
  /** Fastify compares what it reads with Content-Length unless it is told what arrived. */
  receivedEncodedLength = 0
  #bytes = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length
    if (this.#bytes > Math.max(ALWAYS_BYTES, MOST_TIMES * this.receivedEncodedLength))
      done(new ClientError(413, `The body unpacks to more than ${MOST_TIMES} times its size.`))
    else done(null, chunk)
  }
}
