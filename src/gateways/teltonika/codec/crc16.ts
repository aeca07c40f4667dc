const POLYNOMIAL = 0xa001

/** Bytes per step, each with a table of its own (slicing): byte by byte, each lookup would depend on the one before. */
const STRIDE = 4

/** The tables, concatenated; the first is for the last byte of a step, the next for the one before it … */
const TABLES = tables()

/** The checksum of a frame: CRC-16/IBM (also called ARC), initial value 0, lowest bit first. */
export function crc16(bytes: Uint8Array, from: number, to: number): number {
  let remainder = 0
  let at = from
  for (; at + STRIDE <= to; at += STRIDE) {
    const first = remainder ^ (byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8))
    remainder =
      entry(3, first & 0xff) ^ entry(2, first >>> 8) ^ entry(1, byteAt(bytes, at + 2)) ^ entry(0, byteAt(bytes, at + 3))
  }
  for (; at < to; at++) remainder = (remainder >>> 8) ^ entry(0, (remainder ^ byteAt(bytes, at)) & 0xff)
  return remainder
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number
}

function entry(table: number, byte: number): number {
  return TABLES[table * 256 + byte] as number
}

function tables(): Uint16Array {
  const all = new Uint16Array(STRIDE * 256)
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte
    for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1
    all[byte] = remainder
  }
  for (let index = 256; index < all.length; index++) {
    const before = all[index - 256] as number
    all[index] = (before >>> 8) ^ (all[before & 0xff] as number)
  }
  return all
}
