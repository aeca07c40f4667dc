import { type Database, openDatabase } from '../src/db/database.ts'
import { createTestDatabase } from './database.ts'

interface TurnedClock extends AsyncDisposable {
  readonly database: Database
  /** PostgreSQL's own times, such as the start of a transaction, stay right. */
  turn(hours: number): Promise<void>
}

/** A database of its own on which `clock_timestamp()` can be turned: a function of ours is found before PostgreSQL's. */
export async function turnableClock(): Promise<TurnedClock> {
  const testDatabase = await createTestDatabase()
  const { url } = testDatabase
  const before = openDatabase({ url, readerCount: 1, writerCount: 1 })
  const name = new URL(url).pathname.slice(1)
  await before.writers.query(`
    create table turned_clock (hours integer not null);
    insert into turned_clock values (0);
    create function public.clock_timestamp() returns timestamptz language sql volatile as
      $$ select pg_catalog.clock_timestamp() + (select hours from public.turned_clock) * interval '1 hour' $$;
    alter database ${name} set search_path = public, pg_catalog`)
  await before.close()
  const database = openDatabase({ url, writerCount: 12 })
  return {
    database,
    async turn(hours) {
      await database.writers.query('update turned_clock set hours = $1', [hours])
    },
    async [Symbol.asyncDispose]() {
      await database.close()
      await testDatabase.drop()
    },
  }
}
