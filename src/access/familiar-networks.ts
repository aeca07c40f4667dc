/** More than this are not remembered; the one that was seen longest ago is forgotten first. */
const MOST_NETWORKS = 10_000

const networks = new Set<string>()

/**
 * Networks in which this process has seen a user who is known there: whoever comes from one of them need not wait until
 * the database has been asked about everybody else. It opens nothing more than that.
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
