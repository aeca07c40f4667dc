/** A message between server and device, in text: a command and its answer, or what is connected to the device. */
export interface Message {
  /** 5: command, 6: answer, 0x11: refused; codec 15 has others. */
  readonly type: number
  /** Text that is not printable is given in hexadecimal. */
  readonly text: string
}

export type MessageCodec = 12 | 13 | 14 | 15

/** Fields before the text: a time (4 bytes), an IMEI (8). */
const BYTES_BEFORE_TEXT: Readonly<Record<MessageCodec, number>> = { 12: 0, 13: 4, 14: 8, 15: 12 }

export function messageCodec(codec: number): MessageCodec | undefined {
  return codec === 12 || codec === 13 || codec === 14 || codec === 15 ? codec : undefined
}

/** @returns the `count` messages from `at` on; undefined unless they end exactly at `to`. */
export function readMessages(
  bytes: Buffer,
  at: number,
  to: number,
  count: number,
  codec: MessageCodec,
): readonly Message[] | undefined {
  const messages: Message[] = []
  const before = BYTES_BEFORE_TEXT[codec]
  let next = at
  for (let index = 0; index < count; index++) {
    if (next + 5 > to) return undefined
    const type = bytes.readUInt8(next)
    const size = bytes.readUInt32BE(next + 1)
    const start = next + 5
    next = start + size
    if (next > to || size < before) return undefined
    messages.push({ type, text: textOf(bytes.subarray(start + before, next)) })
  }
  return next === to ? messages : undefined
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  return /^[\t\r\n -~]*$/.test(text) ? text : bytes.toString('hex')
}
