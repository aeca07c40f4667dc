import type { ChangeBatch } from '../../changes/change-reader.ts'

/** A message of a stream: changed objects of one kind. */
export interface EventText {
  readonly text: string
  /** Set where everything up to this revision, of all kinds, stands in this message or before it. */
  readonly id: string | undefined
}

/** How long a client waits before it reconnects when its stream has ended. */
const RECONNECT_AFTER_MS = 2_000

/** Longer messages are split; a single object may be longer. */
const MESSAGE_CHARACTERS = 256 * 1024

/** A batch as server-sent events; the last one carries the id. */
export function eventsOf({ kind, items, revision }: ChangeBatch): EventText[] {
  const groups: string[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const json of items) {
    if (length + json.length > MESSAGE_CHARACTERS) {
      groups.push([])
      length = 0
    }
    groups.at(-1)?.push(json)
    length += json.length
  }
  return groups.map((group, index) => ({
    text: textOf(kind, `[${group.join(',')}]`),
    id: index === groups.length - 1 ? revision : undefined,
  }))
}

/** The first message of every stream: everything that changed after this revision follows. */
export function readyEvent(revision: string): EventText {
  const ready = textOf('ready', JSON.stringify({ modifyTimestamp: revision }))
  return { text: `retry: ${RECONNECT_AFTER_MS}\n${ready}`, id: revision }
}

/** A message with one object. */
export function namedEvent(name: string, object: object): EventText {
  return { text: textOf(name, JSON.stringify(object)), id: undefined }
}

/**
 * A comment that keeps proxies from closing an idle stream. With an id and without data it is no event, but browsers
 * and other clients remember the id (HTML, 9.2.6), so that resuming after an idle night has little to read.
 */
export function heartbeat(revision: string | undefined): EventText {
  return { text: ':\n\n', id: revision }
}

/** The id may stand anywhere in a message. */
export function bytesOf({ text, id }: EventText): Buffer {
  return Buffer.from(id === undefined ? text : `id: ${id}\n${text}`, 'utf8')
}

/** Our JSON has no line breaks between tokens and only escaped ones in strings, so the data is one line. */
function textOf(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`
}
