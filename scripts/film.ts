import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'

const LOOKS_EVERY_MS = 250
const QUALITY = 55
/** The last picture stays for so long before it begins anew. */
const LAST_MS = 3000

interface Size {
  readonly width: number
  readonly height: number
}

interface Frame {
  /** A WebP file of one picture. */
  readonly picture: Buffer
  readonly seenMs: number
}

/**
 * Begins to take pictures of what a page shows, whose size is that of all of them.
 *
 * @returns ends that, and keeps the moving picture as a file
 */
export async function startFilm(page: Page, size: Size): Promise<(path: string) => Promise<void>> {
  await page.setViewportSize(size)
  const session = await page.context().newCDPSession(page)
  const frames: Frame[] = []
  const over = new AbortController()
  const look = async () => {
    while (!over.signal.aborted) {
      const seenMs = Date.now()
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
      const picture = Buffer.from(data, 'base64')
      if (!frames.at(-1)?.picture.equals(picture)) frames.push({ picture, seenMs })
      await sleep(LOOKS_EVERY_MS)
    }
  }
  const looking = look()
  return async path => {
    over.abort()
    await looking
    writeFileSync(path, animated(frames, size))
  }
}

const CHUNK_HEADER_BYTES = 8
const RIFF_HEADER_BYTES = 12
const DRAWING: ReadonlySet<string> = new Set(['ALPH', 'VP8 ', 'VP8L'])
/** In the flags of `VP8X`: there are several pictures. */
const ANIMATION = 2
/** In the flags of `ANMF`: the picture is not blended with the one before. */
const NO_BLENDING = 2

/** Pictures of one size as one file that repeats for ever (https://www.rfc-editor.org/rfc/rfc9649, section 2.7). */
function animated(frames: readonly Frame[], { width, height }: Size): Buffer {
  const size = Buffer.concat([uint24(width - 1), uint24(height - 1)])
  const moving = frames.map(({ picture, seenMs }, at) => {
    const lastsMs = (frames[at + 1]?.seenMs ?? seenMs + LAST_MS) - seenMs
    const place = Buffer.concat([uint24(0), uint24(0), size, uint24(lastsMs), Buffer.of(NO_BLENDING)])
    return chunk('ANMF', Buffer.concat([place, drawnOf(picture)]))
  })
  const canvas = chunk('VP8X', Buffer.concat([Buffer.of(ANIMATION, 0, 0, 0), size]))
  const background = chunk('ANIM', Buffer.alloc(6))
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), canvas, background, ...moving]))
}

/** What draws the picture of a file, without what the file says of it. */
function drawnOf(file: Buffer): Buffer {
  const drawn: Buffer[] = []
  for (let at = RIFF_HEADER_BYTES; at < file.length; ) {
    const bytes = file.readUInt32LE(at + 4)
    const end = at + CHUNK_HEADER_BYTES + bytes + (bytes % 2)
    if (DRAWING.has(file.toString('latin1', at, at + 4))) drawn.push(file.subarray(at, end))
    at = end
  }
  return Buffer.concat(drawn)
}

function chunk(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(CHUNK_HEADER_BYTES)
  header.write(name)
  header.writeUInt32LE(content.length, name.length)
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)])
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntLE(value, 0, 3)
  return bytes
}
