const BYTES_A_LINE = 16

/** Bytes as `hexdump -C` shows them: offset, hexadecimal, and printable ASCII. */
export function hexDump(bytes: Buffer): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += BYTES_A_LINE) {
    const part = bytes.subarray(at, at + BYTES_A_LINE)
    const hex = [...part].map(byte => byte.toString(16).padStart(2, '0'))
    const halves = `${hex.slice(0, 8).join(' ').padEnd(23)}  ${hex.slice(8).join(' ').padEnd(23)}`
    const text = [...part].map(byte => (byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${at.toString(16).padStart(8, '0')}  ${halves}  |${text}|`)
  }
  return lines.join('\n')
}
