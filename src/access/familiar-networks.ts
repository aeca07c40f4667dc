/** At most this many are remembered; the least recently seen one is forgotten first. */
const MOST_NETWORKS = 10_000

const networks = new Set<string>()

/**
 * Networks in which this process has seen a user who is known there: attempts from them need not wait for the database
 * lookups of all others. They get no other privilege.
 */
export const familiarNetworks = {
  has: (network: string): boolean => networks.has(network),
  add(network: string): void {
    networks.delete(network)
    networks.add(network)
    const [oldest] = networks
    if (networks.size > MOST_NETWORKS && oldest !== undefined) networks.delete(oldest)
  },
}
