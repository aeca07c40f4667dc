import { isUtf8 } from 'node:buffer'

const utf8 = new TextDecoder()

/** The text of a body without its byte order mark: UTF-8 (RFC 8259, 8.1), else Windows-1252. */
export function textOfBody(bytes: Uint8Array): string {
  return isUtf8(bytes) ? utf8.decode(bytes) : (textIn('windows-1252', bytes) ?? '')
}

/** The text of a file: by its byte order mark, else as XML declares (XML 1.0, F), else UTF-8 where it is that, else
 * Windows-1252. */
export function textOfBytes(bytes: Uint8Array): string {
  const [first, second] = bytes
  // Without a mark, too: what begins a file of text is ASCII.
  if ((first === 0xff && second === 0xfe) || second === 0) return new TextDecoder('utf-16le').decode(bytes)
  if ((first === 0xfe && second === 0xff) || first === 0) return new TextDecoder('utf-16be').decode(bytes)
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200))
  const [, declared = 'utf-8'] = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/.exec(head) ?? []
  // Others are not known, or not what is declared; UTF-16 would have been seen above.
  const encodings = [declared, 'utf-8', 'windows-1252'].filter(encoding => !/^utf-?16/i.test(encoding))
  const [text = ''] = encodings.flatMap(encoding => textIn(encoding, bytes) ?? [])
  return text
}

function textIn(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true })
    // Node 20 takes Windows-1252 for Latin-1, unless it is decoded as a stream.
    return decoder.decode(bytes, { stream: true }) + decoder.decode()
  } catch {
    return undefined
  }
}
