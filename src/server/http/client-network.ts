import { isIPv6 } from 'node:net'

/**
 * The network of a client, which it can not change at will: an IPv4 address, or the /64 network of an IPv6 address,
 * because every IPv6 customer has 2^64 addresses.
 */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  // An IPv4 address at the end replaces two groups; only their number matters here.
  const lastCount = last.length + (tail?.includes('.') ? 1 : 0)
  const whole =
    tail === undefined ? groups : [...groups, ...Array<string>(8 - groups.length - lastCount).fill('0'), ...last]
  const network = whole.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
