import { BlockList, isIP } from 'node:net'

/** A set of networks. */
export interface Networks {
  has(address: string): boolean
}

/** True for an address (10.0.0.1) or a network in CIDR notation (10.0.0.0/8), IPv4 or IPv6. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const most = isIP(address) === 6 ? 128 : 32
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
  return isIP(address) !== 0 && isRange && more.length === 0
}

/** @param networks each of which `isNetwork` */
export function networksOf(networks: readonly string[]): Networks {
  // Each request asks, and an empty list looks at the address all the same.
  if (networks.length === 0) return { has: () => false }
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const version = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (version === 'ipv6' ? 128 : 32) : Number(bits), version)
  }
  return {
    has: address => {
      const plain = withoutPrefix(address)
      const version = isIP(plain)
      return version !== 0 && list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
    },
  }
}

/** An address as operators write it: without the prefix that a dual-stack listener adds to IPv4. */
export function withoutPrefix(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

const LOOPBACK = networksOf(['127.0.0.0/8', '::1'])

/** True if only this machine can connect to a listener there. A name other than `localhost` may be anything. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || LOOPBACK.has(host)
}
