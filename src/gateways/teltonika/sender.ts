/** An address as an operator writes it: without the prefix that a listener for both versions of IP gives to IPv4. */
export function senderOf(remoteAddress: string | undefined): string {
  return remoteAddress?.replace(/^::ffff:/i, '') ?? 'unknown'
}
