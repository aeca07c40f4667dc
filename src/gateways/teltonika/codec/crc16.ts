const POLYNOMIAL = 0xa001

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1
  return remainder
})

/** The checksum of a frame: CRC-16/IBM (also called ARC), which begins with 0 and takes the lowest bit first. */
export function crc16(bytes: Uint8Array, from: number, to: number): number {
  let remainder = 0
  for (let at = from; at < to; at++)
    remainder = (remainder >>> 8) ^ (TABLE[(remainder ^ (bytes[at] as number)) & 0xff] as number)
  return remainder
}
