import { expect, inject, onTestFinished, test } from 'vitest'
import { dumpSchema } from '../../scripts/schema-dump.ts'
import { createEmptyDatabase, createTestDatabase } from '../../test/database.ts'
import { query } from '../../test/embedded-folder.ts'
import { spanOfTable } from '../store/index.ts'
import { copyDatabase } from './copy-database.ts'

async function databases() {
  const [source, target] = [await createTestDatabase(), await createEmptyDatabase()]
  onTestFinished(async () => {
    await source.drop()
    await target.drop()
  })
  const copy = () =>
    copyDatabase({
      from: forAdmin(source.url),
      to: forAdmin(target.url),
      toOwner: target.url,
      owner: 'tacho',
      isSampleTable: name => spanOfTable(name) !== undefined,
    })
  return { source: source.url, target: target.url, copy }
}

function forAdmin(url: string): string {
  const admin = new URL(inject('adminUrl'))
  admin.pathname = new URL(url).pathname
  return admin.href
}

const ACCOUNT = "insert into accounts (name) values ('Fleet')"
const SAMPLES = 'create table samples_2026_01_12 (like samples including all)'

test('schema, rows, tables of weeks and sequences of the copy are those of the source', async () => {
  const { source, target, copy } = await databases()
  await query(
    source,
    `${ACCOUNT};
    insert into devices (id, modified) values (1, now());
    insert into vehicles (account_id, first_device_id, modified) overriding system value values (1, 1, now());
    insert into assignments (device_id, account_id, vehicle_id) values (1, 1, 1);
    insert into addresses (lat, lon, texts) values (89.9, 5e-324, '{"de": "Köln\\u00e9"}'), (1.1, -0.0, '{}');
    insert into allotments (account_id, imeis) values (1, '[5,)');
    insert into security_log (account_id, kind, caller_kind, caller_name) values (1, 'login', 'user', E'a\\tb\\\\N');
    ${SAMPLES};
    alter table samples attach partition samples_2026_01_12 for values from ('2026-01-12') to ('2026-01-19');
    create table samples_2025 (like samples including all);
    insert into samples values (1, '2026-01-15 08:00:00.25Z', now(), 7, '\\x30402c80', '{a,null,"{b}"}');
    insert into samples_2025 values (1, '2025-01-15', now(), 7, null, null);
    create table merging_samples_2024 (like samples including all);
    select take_revisions(1000)`,
  )
  await copy()
  await query(source, 'drop table merging_samples_2024')
  expect(await dumpSchema(target)).toBe(await dumpSchema(source))
  for (const table of [
    'addresses',
    'allotments',
    'security_log',
    'vehicles',
    'assignments',
    'samples',
    'samples_2025',
  ]) {
    const rows = `select ${table}::text as row from ${table} order by 1`
    expect(await query(target, rows)).toEqual(await query(source, rows))
  }
  const sequences =
    'select last_value, is_called from revisions union all select last_value, is_called from accounts_id_seq'
  expect(await query(target, sequences)).toEqual(await query(source, sequences))
  await expect(query(target, 'delete from security_log')).rejects.toThrow('the security log is only added to')
})

test('a table that Tacho did not make is refused by name', async () => {
  const { source, copy } = await databases()
  await query(source, 'create table notes (text text)')
  await expect(copy()).rejects.toThrow("The table notes is none of Tacho's: move it to another database first.")
})

test('a column that Tacho did not make is refused', async () => {
  const { source, copy } = await databases()
  await query(source, 'alter table trips add column note text')
  await expect(copy()).rejects.toThrow('The table trips has other columns than the migrations of Tacho give it.')
})
