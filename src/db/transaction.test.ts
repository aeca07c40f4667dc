import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { badRequest } from '../model/errors.ts'
import { clientErrorOf } from './faults.ts'
import { sql } from './sql.ts'
import { type Transaction, writeTransaction } from './transaction.ts'

const database = await openTestDatabase()

describe('a writing transaction', () => {
  afterEach(() => database.writers.query('delete from accounts'))

  const insert = (transaction: Transaction, name: string) =>
    transaction.rows(sql`insert into accounts (name) values (${name})`)
  const names = async () =>
    (await database.rows<{ name: string }>(sql`select name from accounts order by 1`)).map(row => row.name)

  it('keeps everything or nothing', async () => {
    await writeTransaction(database, async transaction => {
      await insert(transaction, 'a')
      await insert(transaction, 'b')
      expect(await names()).toEqual([])
    })
    expect(await names()).toEqual(['a', 'b'])
    for (const error of [badRequest('no'), new Error('defect')]) {
      const failing = writeTransaction(database, async transaction => {
        await insert(transaction, 'c')
        throw error
      })
      await expect(failing).rejects.toBe(error)
    }
    expect(await names()).toEqual(['a', 'b'])
  })

  it('never says that it kept what the database rolled back', async () => {
    const swallowing = writeTransaction(database, async transaction => {
      await insert(transaction, 'a')
      await insert(transaction, 'a').catch(() => undefined)
    })
    await expect(swallowing).rejects.toThrow('rolled back')
    expect(await names()).toEqual([])
  })

  it('fails for now, and nothing else does, when its connection is cut while it thinks', async () => {
    const cut = writeTransaction(database, async transaction => {
      await insert(transaction, 'a')
      const [own] = await transaction.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      await database.rows(sql`select pg_terminate_backend(${own?.pid}::integer, 5000)`)
      await sleep(50)
      await insert(transaction, 'b')
    })
    const error = await cut.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(clientErrorOf(error)).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
    expect(await names()).toEqual([])
    await writeTransaction(database, transaction => insert(transaction, 'c'))
    expect(await names()).toEqual(['c'])
  })

  it('is tried again after a deadlock', async () => {
    await writeTransaction(database, async transaction => {
      await insert(transaction, 'a')
      await insert(transaction, 'b')
    })
    let attempts = 0
    let onBoth: () => void = () => undefined
    const bothHaveOne = new Promise<void>(resolve => {
      onBoth = resolve
    })
    const lockBoth = (first: string, second: string) =>
      writeTransaction(database, async transaction => {
        const lock = (name: string) => transaction.rows(sql`update accounts set created = created where name = ${name}`)
        await lock(first)
        if (++attempts === 2) onBoth()
        await bothHaveOne
        await lock(second)
      })
    await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')])
    expect(attempts).toBe(3)
  })
})
