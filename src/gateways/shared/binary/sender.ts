import { withoutPrefix } from '../../../lib/networks.ts'
import { clientNetwork } from '../../../server/http/client-network.ts'

/** The address of a peer as an operator writes it. */
export function senderOf(remoteAddress: string | undefined): string {
  return remoteAddress === undefined ? 'unknown' : withoutPrefix(remoteAddress)
}

/** Whom limits hold for: an address, or the network of an IPv6 address, of which every customer has very many. */
export function peerOf(remoteAddress: string | undefined): string {
  return clientNetwork(senderOf(remoteAddress))
}
