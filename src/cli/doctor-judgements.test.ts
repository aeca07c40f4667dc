import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { growthBytesPerDay } from './doctor-facts.ts'
import {
  type DatabaseFacts,
  type Finding,
  type FolderFacts,
  judgeCertificate,
  judgeClock,
  judgeDatabase,
  judgeDisk,
  judgeDoors,
  judgeFolder,
  judgeMemory,
  judgeNames,
  judgeNode,
  judgeOpenFiles,
  judgePort,
  judgeTimeZones,
} from './doctor-judgements.ts'

const GB = 2 ** 30
const DAY_MS = 24 * 3600 * 1000
const NOW_MS = Date.UTC(2026, 10, 25, 12)

/** The verdict, and that there is advice exactly where something is to be done. */
function verdictOf({ verdict, advice }: Finding) {
  expect(advice === undefined).toBe(verdict === 'fine')
  return verdict
}

describe('the machine', () => {
  test('Node from 20.19 on', () => {
    expect(['20.18.3', '18.20.0', '20.19.0', '22.0.0', '24.11.1'].map(judgeNode).map(verdictOf)).toEqual([
      'broken',
      'broken',
      'fine',
      'fine',
      'fine',
    ])
  })

  test('memory', () => {
    expect([0.25 * GB, 0.5 * GB, 2 * GB].map(judgeMemory).map(verdictOf)).toEqual(['broken', 'look', 'fine'])
  })

  test('open files, beside the connections of one client', () => {
    expect(verdictOf(judgeOpenFiles(1024, 2000))).toBe('look')
    expect(verdictOf(judgeOpenFiles(1024, 100))).toBe('fine')
    expect(verdictOf(judgeOpenFiles(undefined, 2000))).toBe('fine')
  })

  test('time zones', () => {
    expect([true, false].map(judgeTimeZones).map(verdictOf)).toEqual(['fine', 'broken'])
  })
})

describe('the clock', () => {
  const right = { nowMs: NOW_MS, databaseAheadMs: 3, revisionAheadMs: -1000, isSynchronized: undefined }

  test.each([
    ['as the database has it', {}, 'fine'],
    ['kept by a time server', { isSynchronized: true }, 'fine'],
    ['kept by nobody', { isSynchronized: false }, 'look'],
    ['without a database', { databaseAheadMs: undefined, revisionAheadMs: undefined }, 'fine'],
    ['of a machine without a battery', { nowMs: 0 }, 'broken'],
    ['10 s from the database', { databaseAheadMs: -10_000 }, 'look'],
    ['an hour from the database', { databaseAheadMs: 3_600_000 }, 'broken'],
    ['set back by a day', { revisionAheadMs: DAY_MS }, 'look'],
  ] as const)('%s', (_name, facts, expected) => {
    expect(verdictOf(judgeClock({ ...right, ...facts }))).toBe(expected)
  })
})

describe('the data folder', () => {
  const cluster = { isOurs: true, major: '18', ownerUid: 990, mode: 0o700 }
  const right: FolderFacts = {
    folder: '/data',
    freeBytes: 10 * GB,
    isWritable: true,
    cluster,
    uid: 990,
    embeddedMajor: '18',
  }

  test.each([
    ['with a database', {}, 'fine'],
    ['before the first start', { cluster: undefined }, 'fine'],
    ['that cannot be written', { isWritable: false }, 'broken'],
    ['with the files of something else', { cluster: { ...cluster, isOurs: false } }, 'broken'],
    ['of another user', { uid: 1000 }, 'broken'],
    ['that others may enter', { cluster: { ...cluster, mode: 0o755 } }, 'broken'],
    ['of an older PostgreSQL', { cluster: { ...cluster, major: '17' } }, 'broken'],
  ] as const)('%s', (_name, facts, expected) => {
    expect(verdictOf(judgeFolder({ ...right, ...facts }))).toBe(expected)
  })

  test('room on its disk, and for how many days', () => {
    expect(verdictOf(judgeDisk(right, undefined))).toBe('fine')
    expect(verdictOf(judgeDisk({ ...right, freeBytes: GB / 2 }, undefined))).toBe('look')
    expect(verdictOf(judgeDisk({ ...right, freeBytes: GB / 20 }, undefined))).toBe('broken')
    expect(verdictOf(judgeDisk(right, GB))).toBe('look')
    expect(judgeDisk(right, GB / 10).says).toMatch(/about 99 days/)
  })

  test('grows as the last full weeks did, or this one where there is none', () => {
    const weeks = [
      { name: 'samples_2025', bytes: 900 },
      { name: 'samples_2026_11_09', bytes: 70 },
      { name: 'samples_2026_11_16', bytes: 140 },
      { name: 'samples_2026_11_23', bytes: 25 },
    ]
    expect(growthBytesPerDay(weeks, NOW_MS)).toBe(15)
    expect(growthBytesPerDay(weeks.slice(3), NOW_MS)).toBe(10)
    expect(growthBytesPerDay([], NOW_MS)).toBeUndefined()
  })
})

test('a port is free, taken by Tacho itself, or not to be had', () => {
  const port = { door: 'API', host: '::1', port: 8080, hostSetting: 'HOST', portSetting: 'PORT' }
  const judged = (outcome: string, isRunning = false) => verdictOf(judgePort({ ...port, outcome }, isRunning))
  expect(judged('free')).toBe('fine')
  expect(judged('EADDRINUSE', true)).toBe('fine')
  for (const code of ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTSUP']) expect(judged(code)).toBe('broken')
  expect(judgePort({ ...port, outcome: 'EADDRINUSE' }, false).advice).toMatch(/with PORT\.$/)
})

describe('settings', () => {
  test('names that Tacho does not know', () => {
    const names = (environment: string[], inFile: string[] = []) => judgeNames({ environment, inFile })
    expect(verdictOf(names(['PATH', 'HOME', 'TACHO_DATA', 'NODE_ENV'], ['PORT']))).toBe('fine')
    expect(names(['TACHO_DAT', 'TELTONIKA_PROT', 'PATH']).says).toMatch(
      /^TACHO_DAT, TELTONIKA_PROT: .* no such settings/,
    )
    expect(names(['PROT'], ['PROT']).says).toMatch(/^PROT: .* no such setting\.$/)
  })

  test('doors that are open further than they should be', () => {
    const verdicts = (settings: Record<string, string>) => judgeDoors(readConfig(settings)).map(verdictOf)
    expect(verdicts({})).toEqual(['fine'])
    expect(verdicts({ TELTONIKA_HOST: '0.0.0.0' })).toEqual(['fine'])
    expect(verdicts({ HOST: '0.0.0.0', TLS_CERT: 'a', TLS_KEY: 'b' })).toEqual(['fine'])
    expect(verdicts({ HOST: '10.0.0.1', TRUSTED_PROXIES: '10.0.0.2' })).toEqual(['fine'])
    expect(verdicts({ HOST: '::' })).toEqual(['look'])
    expect(verdicts({ INTAKE_HOST: '0.0.0.0' })).toEqual(['look'])
    expect(verdicts({ TELTONIKA_HOST: '0.0.0.0', UNKNOWN_DEVICES: 'accept' })).toEqual(['look'])
  })

  test('certificates', () => {
    const judged = (until: number | string) => verdictOf(judgeCertificate('TLS_CERT', until, NOW_MS))
    expect(judged(NOW_MS + 60 * DAY_MS)).toBe('fine')
    expect(judged(NOW_MS + 3 * DAY_MS)).toBe('look')
    expect(judged(NOW_MS - 3 * DAY_MS)).toBe('broken')
    expect(judged('The certificate cannot be used.')).toBe('broken')
  })
})

describe('the database', () => {
  const settings: DatabaseFacts['settings'] = {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    track_activities: 'on',
    max_connections: '100',
    superuser_reserved_connections: '3',
    server_encoding: 'UTF8',
  }
  const right: DatabaseFacts = {
    versionNumber: 180_004,
    version: '18.4',
    isStandby: false,
    extension: 'installed',
    settings,
    connections: 12,
    ownRole: 'tacho',
    tachoRoles: ['tacho'],
    pendingMigrations: 0,
    unknownMigrations: 0,
    timeZones: 1,
  }
  const notFine = (facts: Partial<DatabaseFacts>) =>
    judgeDatabase({ ...right, ...facts })
      .filter(finding => verdictOf(finding) !== 'fine')
      .map(({ check, verdict }) => `${check} ${verdict}`)

  test.each([
    ['as it should be', {}, []],
    ['of version 14', { versionNumber: 140_012 }, ['database broken']],
    ['a standby', { isStandby: true }, ['database broken']],
    ['in another encoding', { settings: { ...settings, server_encoding: 'LATIN1' } }, ['database broken']],
    ['without time zones', { timeZones: 0 }, ['database look']],
    ['that forgets', { settings: { ...settings, fsync: 'off' } }, ['durability broken']],
    ['that acknowledges too early', { settings: { ...settings, synchronous_commit: 'off' } }, ['durability broken']],
    ['with few connections', { settings: { ...settings, max_connections: '20' } }, ['connections look']],
    ['with few connections left for a new node', { connections: 80, tachoRoles: [] }, ['connections look']],
    ['with nodes of another role', { tachoRoles: ['tacho', 'other'] }, ['role broken']],
    ['that hides transactions', { settings: { ...settings, track_activities: 'off' } }, ['role broken']],
    ['without btree_gist', { extension: 'missing' }, ['schema broken']],
    ['of an older Tacho', { pendingMigrations: 2 }, ['schema look']],
    ['of a newer Tacho', { unknownMigrations: 1 }, ['schema broken']],
  ] as const)('%s', (_name, facts, expected) => {
    expect(notFine(facts)).toEqual(expected)
  })
})
