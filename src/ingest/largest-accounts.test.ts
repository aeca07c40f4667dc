import fc from 'fast-check'
import { expect, test } from 'vitest'
import { largestAccounts } from './metrics.ts'

test('the accounts with most are named, and all others are one', () => {
  const ofAccounts = new Map([1, 2, 3, 4, 5, 6, 7].map(account => [account, account * 10]))
  expect([...largestAccounts(ofAccounts)]).toEqual([
    ['7', 70],
    ['6', 60],
    ['5', 50],
    ['4', 40],
    ['3', 30],
    ['other', 30],
  ])
  expect([...largestAccounts(new Map())]).toEqual([['other', 0]])
})

test('nothing is lost, however many accounts there are, and there are few names', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(1e6))), entries => {
      const ofAccounts = new Map(entries)
      const named = largestAccounts(ofAccounts)
      const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)
      expect(sum(named.values())).toBe(sum(ofAccounts.values()))
      expect(named.size).toBeLessThanOrEqual(6)
    }),
  )
})
