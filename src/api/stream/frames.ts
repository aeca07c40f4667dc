import type { Change, StreamResource } from './source.ts'

/** A message of a stream: changed objects of one resource. */
export interface Frame {
  readonly text: string
  /** Set where everything up to this revision, of all resources, stands in this frame or before it. */
  readonly id: string | undefined
}

/** How long a client waits before it reconnects when its stream has ended. */
const RECONNECT_AFTER_MS = 2_000

/** Longer frames are split; a single object may be longer. */
const FRAME_CHARACTERS = 256 * 1024

/** The changes of a page as frames of server-sent events, without ids. */
export function* frameTexts(name: StreamResource, changes: readonly Change[]): Generator<string> {
  let items: string[] = []
  let length = 0
  for (const { json } of changes) {
    if (items.length > 0 && length + json.length > FRAME_CHARACTERS) {
      yield frameText(name, `[${items.join(',')}]`)
      items = []
      length = 0
    }
    items.push(json)
    length += json.length
  }
  if (items.length > 0) yield frameText(name, `[${items.join(',')}]`)
}

/** The first frame of every stream: everything that changed after this revision follows. */
export function readyFrame(revision: string): Frame {
  return {
    text: `retry: ${RECONNECT_AFTER_MS}\n${frameText('ready', JSON.stringify({ modifyTimestamp: revision }))}`,
    id: revision,
  }
}

/** A frame with one object. */
export function namedFrame(name: string, object: object): Frame {
  return { text: frameText(name, JSON.stringify(object)), id: undefined }
}

/**
 * A comment that keeps proxies from closing an idle stream. With an id and without data it is no event, but browsers
 * and other clients remember the id (HTML, 9.2.6), so that resuming after an idle night has little to read.
 */
export function heartbeat(revision: string | undefined): Frame {
  return { text: ':\n\n', id: revision }
}

/** The bytes of a frame. The id may stand anywhere in it. */
export function frameBytes({ text, id }: Frame): Buffer {
  return Buffer.from(id === undefined ? text : `id: ${id}\n${text}`, 'utf8')
}

/** Our JSON has no line breaks between tokens and only escaped ones in strings, so the data is one line. */
function frameText(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`
}
