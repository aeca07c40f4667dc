import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ClientError } from '../../model/errors.ts'

/** Events that differ only in time compress about a hundredfold; a higher ratio is a decompression bomb. */
const MOST_TIMES = 200
/** Output up to this size is always allowed. */
const ALWAYS_BYTES = 1024 * 1024

/**
 * Decodes the content encoding of a body; the body limit applies to the decoded bytes.
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
  // A refused body is not decompressed further.
  counted.on('close', () => gunzip.destroy())
  payload.pipe(gunzip).pipe(counted)
  return counted
}

class CountedBody extends Transform {
  /** Fastify compares what it reads with Content-Length unless it knows how many bytes arrived. */
  receivedEncodedLength = 0
  #bytes = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length
    if (this.#bytes > Math.max(ALWAYS_BYTES, MOST_TIMES * this.receivedEncodedLength))
      done(new ClientError(413, `The body unpacks to more than ${MOST_TIMES} times its size.`))
    else done(null, chunk)
  }
}
