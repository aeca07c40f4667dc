import { withoutPrefix } from '../../../lib/networks.ts'
import { clientNetwork } from '../../../server/http/connections.ts'

/** The address of a peer as operators write it. */
export function senderOf(remoteAddress: string | undefined): string {
  return remoteAddress === undefined ? 'unknown' : withoutPrefix(remoteAddress)
}

/** The unit of limits: an address, or the network of an IPv6 address, because every customer has very many of these. */
export function peerOf(remoteAddress: string | undefined): string {
  return clientNetwork(senderOf(remoteAddress))
}
