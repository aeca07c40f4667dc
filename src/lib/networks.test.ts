import { expect, test } from 'vitest'
import { isLoopback, isNetwork, networksOf } from './networks.ts'

test('what only this machine reaches is loopback, and everything else is not', () => {
  for (const host of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', 'localhost', 'LocalHost'])
    expect([host, isLoopback(host)]).toEqual([host, true])
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '', 'tacho', '128.0.0.1', 'fe80::1'])
    expect([host, isLoopback(host)]).toEqual([host, false])
})

test('networks hold their addresses, whichever way a listener writes them', () => {
  const networks = networksOf(['10.64.0.0/10', '192.0.2.7', '2001:db8::/32'])
  for (const address of ['10.64.0.0', '10.127.255.255', '::ffff:10.64.1.1', '192.0.2.7', '2001:db8:1::5'])
    expect([address, networks.has(address)]).toEqual([address, true])
  for (const address of ['10.63.255.255', '10.128.0.0', '192.0.2.8', '2001:db9::1', 'unknown', ''])
    expect([address, networks.has(address)]).toEqual([address, false])
})

test('no networks hold nothing', () => {
  for (const address of ['127.0.0.1', '::1', '', 'unknown']) expect(networksOf([]).has(address)).toBe(false)
})

test('a network is an address with or without the length of its prefix', () => {
  expect(['10.0.0.1', '10.0.0.0/8', 'fd00::/8', '::1/128', '0.0.0.0/0'].filter(text => !isNetwork(text))).toEqual([])
  expect(['10.0.0.1/33', '10.0.0.0/8/8', '::1/129', '10.0.0.0/', '10.0.0', 'a'].filter(isNetwork)).toEqual([])
})
