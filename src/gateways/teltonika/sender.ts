import { withoutPrefix } from '../../networks.ts'

/** The address of a peer as an operator writes it. */
export function senderOf(remoteAddress: string | undefined): string {
  return remoteAddress === undefined ? 'unknown' : withoutPrefix(remoteAddress)
}
