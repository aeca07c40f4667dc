import { isIPv6 } from 'node:net'

/**
 * Where a client is, as far as it can not change it at will: an IPv4 address, or the /64 network of an IPv6 address,
 * since every IPv6 customer has 2^64 addresses.
 */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  // An IPv4 address at the end stands for two groups; only how many there are matters here.
  const lastCount = last.length + (tail?.includes('.') ? 1 : 0)
  const whole =
    tail === undefined ? groups : [...groups, ...Array<string>(8 - groups.length - lastCount).fill('0'), ...last]
  const network = whole.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
