import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { generatedTexts } from '../scripts/readme-parts.ts'
import { childEnvironment, dataFolderFor, loadEnvironmentFile, readConfig, standardDataFolder } from './config.ts'
import { OperatorError } from './model/errors.ts'
import { SETTINGS } from './settings.ts'

/** By variable: values that are refused, and one that is taken with what it becomes. */
const VALUES: Readonly<
  Record<string, { readonly wrong: readonly string[]; readonly right: string; becomes?: unknown }>
> = {
  HOST: { wrong: [], right: '0.0.0.0' },
  PORT: { wrong: ['65536', '-1', '80.5', '0x50', 'http', '8080 8081', '1e3'], right: '0', becomes: 0 },
  TLS_CERT: { wrong: [], right: '/etc/tacho/fullchain.pem' },
  TLS_KEY: { wrong: [], right: '/etc/tacho/privkey.pem' },
  INTAKE_HOST: { wrong: [], right: '10.0.0.5' },
  INTAKE_PORT: { wrong: ['70000', 'x'], right: '8081', becomes: 8081 },
  INTAKE_URL: { wrong: ['intake:8081', 'ftp://intake', '//intake'], right: 'http://intake:8081' },
  TACHO_DATA: { wrong: [], right: '/srv/tacho' },
  DATABASE_URL: { wrong: ['db.example.com', 'mysql://db/tacho'], right: 'postgresql://tacho@db:5432/tacho' },
  DATABASE_READ_URL: { wrong: ['replica', 'mysql://db/tacho'], right: 'postgresql://tacho@replica:5432/tacho' },
  BACKUP_DIR: { wrong: [], right: '/mnt/backup/tacho' },
  BACKUP_EVERY_H: { wrong: ['0', '169', 'daily'], right: '6', becomes: 6 },
  TACHO_EMAIL: { wrong: ['operator', 'a@b@c', '@'], right: 'operator@tacho.example' },
  TACHO_PASSWORD: { wrong: [], right: 'correct horse battery' },
  TACHO_KEY: { wrong: [], right: 'tacho_key' },
  BLOCKED_LIMIT_S: { wrong: ['4', '3601', 'never'], right: '60', becomes: 60 },
  ACCESS_TOKEN_LIFETIME_S: { wrong: ['0', '10d', '31536001'], right: '3600', becomes: 3600 },
  RATE_LIMIT: { wrong: ['0', '-5', 'none', '1000000001'], right: '1000', becomes: 1000 },
  RATE_LIMIT_WINDOW_S: { wrong: ['0', '86401', '60s'], right: '1', becomes: 1 },
  ACCOUNT_RATE_LIMIT: { wrong: ['0', 'none', '1000000001'], right: '1000', becomes: 1000 },
  RULES_PER_ACCOUNT: { wrong: ['-1', '10001', 'many'], right: '50', becomes: 50 },
  READ_TIMEOUT_S: { wrong: ['0', '3601', '1m'], right: '5', becomes: 5 },
  UPLOADS_PER_ACCOUNT: { wrong: ['0', '257', 'all'], right: '8', becomes: 8 },
  CONNECTIONS_PER_CLIENT: { wrong: ['9', '100001', 'many'], right: '500', becomes: 500 },
  REQUEST_LIMIT_S: { wrong: ['0', '86401', '5m'], right: '60', becomes: 60 },
  LEAST_BYTES_PER_S: { wrong: ['0', '1000001', '1kB'], right: '100', becomes: 100 },
  STALL_LIMIT_S: { wrong: ['0', '3601', 'never'], right: '10', becomes: 10 },
  STREAM_LIMIT: { wrong: ['0', '10001', 'none'], right: '5', becomes: 5 },
  ACCOUNT_STREAM_LIMIT: { wrong: ['0', '10001', 'none'], right: '5', becomes: 5 },
  AREA_LIMIT: { wrong: ['0', '100001', 'many'], right: '500', becomes: 500 },
  STREAM_HEARTBEAT_S: { wrong: ['0', '31', '15s'], right: '30', becomes: 30 },
  REDIS_URL: { wrong: ['http://redis', 'redis'], right: 'rediss://redis:6379' },
  TELTONIKA_HOST: { wrong: [], right: '0.0.0.0' },
  TELTONIKA_PORT: { wrong: ['65536', 'on', '5027/udp'], right: '0', becomes: 0 },
  TELTONIKA_TLS_CERT: { wrong: [], right: '/etc/tacho/dongles.pem' },
  TELTONIKA_TLS_KEY: { wrong: [], right: '/etc/tacho/dongles.key' },
  MQTT_URL: { wrong: ['broker:1883', 'tcp://broker', 'https://broker'], right: 'mqtts://tacho:s%40cret@broker:8883' },
  MQTT_CA: { wrong: [], right: '/etc/tacho/authority.pem' },
  MQTT_CLIENT_ID: { wrong: [], right: 'tacho-a' },
  MQTT_CONNECTIONS: { wrong: ['0', '65', 'many'], right: '8', becomes: 8 },
  UNKNOWN_DEVICES: { wrong: ['yes', 'accepted'], right: 'REJECT', becomes: 'reject' },
  ACCOUNT_EVENTS_PER_MINUTE: { wrong: ['0', '1000000001', '10/s'], right: '6000', becomes: 6000 },
  ACCOUNT_VOLUME_MB: { wrong: ['0', '1000000001', '5 GB'], right: '5000', becomes: 5000 },
  CLAIM_DAYS: { wrong: ['0', '3651', '1 week'], right: '7', becomes: 7 },
  TOMBSTONE_DAYS: { wrong: ['29', '36501', 'never'], right: '90', becomes: 90 },
  ONLINE_WINDOW_S: { wrong: ['0', '86401', '5 min'], right: '60', becomes: 60 },
  SECURITY_LOG_DAYS: { wrong: ['0', '6', '36501', 'forever'], right: '90', becomes: 90 },
  RETENTION_DAYS: { wrong: ['0', '6', '36501', 'forever'], right: '7', becomes: 7 },
  HOT_DAYS: { wrong: ['0', '13', '36501', 'all'], right: '365', becomes: 365 },
  SEALED_AFTER_DAYS: { wrong: ['0', '1', '36501', 'always'], right: '14', becomes: 14 },
  GEOCODER_URL: { wrong: ['nominatim', 'ftp://geo.example'], right: 'https://geo.example/nominatim' },
  GEOCODER_KIND: { wrong: ['google', 'osm'], right: 'Photon', becomes: 'photon' },
  GEOCODER_BUDGET: { wrong: ['0', '60001', '1/s'], right: '600', becomes: 600 },
  MAP_STYLE_URL: {
    wrong: ['maps', 'ftp://maps.example', 'https://user:secret@maps.example/style.json'],
    right: 'https://maps.example/style.json',
  },
  MAP_SOURCE: { wrong: ['osm', 'file'], right: 'OpenStreetMap', becomes: 'openstreetmap' },
  MAP_SATELLITE_URL: {
    wrong: ['https://a.example/{z}/{x}.jpg', 'ftp://a.example/{z}/{x}/{y}', 'https://{s}.example/{z}/{x}/{y}'],
    right: 'https://a.example/{z}/{x}/{y}.jpg?key=1',
  },
  MAP_SATELLITE_ATTRIBUTION: { wrong: [], right: '© Somebody' },
  MAP_FILE: { wrong: [], right: '/srv/maps/region.pmtiles' },
  CORS_ORIGINS: {
    wrong: [],
    right: ' https://a.example , https://b.example,',
    becomes: ['https://a.example', 'https://b.example'],
  },
  TRUSTED_PROXIES: {
    wrong: ['proxy', '10.0.0.1/33', '10.0.0.0/8/8', '::1/129', '10.0.0.0/', '10.0.0'],
    right: '127.0.0.1, 10.0.0.0/8,fd00::/8',
    becomes: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'],
  },
  METRICS_TOKEN: { wrong: ['short', 'sixteen letters and blanks'], right: 'Xw3mVq7kT2bZ-9_~' },
  LOG_LEVEL: { wrong: ['verbose', '3'], right: 'Debug', becomes: 'debug' },
}

/** The other one of a pair, so that a variable can be tried alone. */
const BESIDE: Readonly<Record<string, Record<string, string>>> = {
  TACHO_EMAIL: { TACHO_PASSWORD: 'correct horse battery' },
  TACHO_PASSWORD: { TACHO_EMAIL: 'operator@tacho.example' },
  DATABASE_READ_URL: { DATABASE_URL: 'postgresql://tacho@db:5432/tacho' },
  TLS_CERT: { TLS_KEY: 'key.pem' },
  TLS_KEY: { TLS_CERT: 'cert.pem' },
  TELTONIKA_TLS_CERT: { TELTONIKA_TLS_KEY: 'key.pem' },
  TELTONIKA_TLS_KEY: { TELTONIKA_TLS_CERT: 'cert.pem' },
}

test('the values below are those of every setting', () => {
  expect(Object.keys(VALUES)).toEqual(Object.values(SETTINGS).map(({ name }) => name))
})

test.each(Object.entries(SETTINGS))(
  '%s takes what is right and names its variable for what is wrong',
  (key, { name }) => {
    const { right, becomes = right, wrong } = VALUES[name]!
    const outcomeOf = (value: string) => outcome(() => readConfig({ ...BESIDE[name], [name]: value }))
    expect(outcomeOf(right)).toHaveProperty(key, becomes)
    const refusal = expect.stringMatching(new RegExp(`^${name} must be .+\\.$`))
    expect(wrong.map(value => [value, outcomeOf(value)])).toEqual(wrong.map(value => [value, refusal]))
  },
)

/** What is read, or what the operator is told. */
function outcome(read: () => object): unknown {
  try {
    return read()
  } catch (error) {
    return error instanceof OperatorError ? error.message : error
  }
}

test('nothing set gives the defaults', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    tlsCertFile: undefined,
    tlsKeyFile: undefined,
    intakeHost: '127.0.0.1',
    intakePort: 0,
    intakeUrl: undefined,
    dataFolder: './data',
    databaseUrl: undefined,
    backupDir: undefined,
    backupEveryH: 24,
    email: undefined,
    password: undefined,
    apiKey: undefined,
    blockedLimitS: 30,
    accessTokenLifetimeS: 864_000,
    rateLimit: 600,
    rateLimitWindowS: 60,
    accountRateLimit: 6_000,
    readTimeoutS: 60,
    uploadsPerAccount: 32,
    connectionsPerClient: 2000,
    requestLimitS: 300,
    leastBytesPerS: 1000,
    stallLimitS: 60,
    streamLimit: 50,
    accountStreamLimit: 500,
    areaLimit: 10_000,
    rulesPerAccount: 200,
    streamHeartbeatS: 15,
    redisUrl: undefined,
    teltonikaHost: '127.0.0.1',
    teltonikaPort: 5027,
    teltonikaTlsCertFile: undefined,
    teltonikaTlsKeyFile: undefined,
    mqttUrl: undefined,
    mqttCaFile: undefined,
    mqttClientId: undefined,
    mqttConnections: 4,
    unknownDevices: 'accept',
    claimDays: 30,
    tombstoneDays: 400,
    onlineWindowS: 300,
    accountEventsPerMinute: undefined,
    accountVolumeMb: undefined,
    hotDays: 182,
    securityLogDays: 180,
    retentionDays: undefined,
    sealedAfterDays: 7,
    geocoderUrl: undefined,
    geocoderKind: 'nominatim',
    geocoderBudget: 60,
    mapStyleUrl: undefined,
    mapSource: undefined,
    mapSatelliteUrl: undefined,
    mapSatelliteAttribution: '',
    mapFile: undefined,
    corsOrigins: [],
    trustedProxies: [],
    metricsToken: undefined,
    logLevel: 'info',
  })
})

test('empty and blank are as if not set, and blanks around a value do not count', () => {
  const names = Object.values(SETTINGS).map(({ name }) => name)
  for (const nothing of ['', '  '])
    expect(readConfig(Object.fromEntries(names.map(name => [name, nothing])))).toEqual(readConfig({}))
  expect(readConfig({ PORT: ' 9000 ' }).port).toBe(9000)
})

test('an account may ask for ten times as much as one of its keys, unless told otherwise', () => {
  expect(readConfig({ STREAM_LIMIT: '2' }).accountStreamLimit).toBe(20)
  expect(readConfig({ ACCOUNT_STREAM_LIMIT: '30' }).accountStreamLimit).toBe(30)
  expect(readConfig({ RATE_LIMIT: '20' }).accountRateLimit).toBe(200)
  expect(readConfig({ RATE_LIMIT: '20', ACCOUNT_RATE_LIMIT: '30' }).accountRateLimit).toBe(30)
})

test('the port for dongles can be closed', () => {
  expect(readConfig({ TELTONIKA_PORT: 'Off' }).teltonikaPort).toBeUndefined()
})

test('the first user has an address and a password or neither', () => {
  const both = 'TACHO_EMAIL and TACHO_PASSWORD belong together: set both or neither.'
  expect(() => readConfig({ TACHO_EMAIL: 'operator@tacho.example' })).toThrow(both)
  expect(() => readConfig({ TACHO_PASSWORD: 'correct horse battery' })).toThrow(both)
})

test('only a database of your own has a replica', () => {
  const replica = { DATABASE_READ_URL: 'postgres://replica/tacho' }
  expect(() => readConfig(replica)).toThrow(
    'DATABASE_READ_URL needs DATABASE_URL: the embedded database has no replica.',
  )
  expect(readConfig({ ...replica, DATABASE_URL: 'postgres://db/tacho' }).databaseReadUrl).toBe(
    replica.DATABASE_READ_URL,
  )
})

test('an unknown dongle may join with the embedded database, and with another one only when told so', () => {
  const databaseUrl = 'postgres://db/tacho'
  expect(readConfig({}).unknownDevices).toBe('accept')
  expect(readConfig({ UNKNOWN_DEVICES: 'reject' }).unknownDevices).toBe('reject')
  expect(readConfig({ DATABASE_URL: databaseUrl }).unknownDevices).toBe('reject')
  expect(readConfig({ DATABASE_URL: databaseUrl, UNKNOWN_DEVICES: 'accept' }).unknownDevices).toBe('accept')
})

test('an unknown dongle may no longer join as soon as strangers reach the door of dongles', () => {
  expect(readConfig({ TELTONIKA_HOST: '0.0.0.0' }).unknownDevices).toBe('reject')
  expect(readConfig({ TELTONIKA_HOST: '0.0.0.0', UNKNOWN_DEVICES: 'accept' }).unknownDevices).toBe('accept')
  expect(readConfig({ TELTONIKA_HOST: '0.0.0.0', TELTONIKA_PORT: 'off' }).unknownDevices).toBe('accept')
  expect(readConfig({ TELTONIKA_HOST: '::1', HOST: '0.0.0.0' }).unknownDevices).toBe('accept')
})

test('a certificate has a key, and a key a certificate', () => {
  const both = 'TLS_CERT and TLS_KEY belong together: set both or neither.'
  expect(() => readConfig({ TLS_CERT: 'cert.pem' })).toThrow(both)
  expect(() => readConfig({ TELTONIKA_TLS_KEY: 'key.pem' })).toThrow(
    `TELTONIKA_${both.replace('TLS_KEY', 'TELTONIKA_TLS_KEY')}`,
  )
})

test('no message repeats a value that may hold a password', () => {
  expect(() => readConfig({ DATABASE_URL: 'mysql://tacho:geheim@db/tacho' })).toThrow(
    /^DATABASE_URL must be an address that starts with postgres:\/\/ or postgresql:\/\/\.$/,
  )
  expect(() => readConfig({ REDIS_URL: 'http://:geheim@redis' })).toThrow(/^(?!.*geheim)/)
  expect(() => readConfig({ MQTT_URL: 'http://tacho:geheim@broker' })).toThrow(/^(?!.*geheim)/)
  expect(() => readConfig({ PORT: 'http' })).toThrow('PORT must be a whole number from 0 to 65535, not "http".')
})

test('a process of our own gets the database and what was settled about it', () => {
  const environment = childEnvironment({ databaseUrl: 'postgresql://tacho@localhost/tacho', unknownDevices: 'accept' })
  expect(readConfig(environment)).toMatchObject({
    databaseUrl: 'postgresql://tacho@localhost/tacho',
    unknownDevices: 'accept',
  })
})

test('the file .env is read where Tacho starts, and the environment goes before it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tacho-env-'))
  const before = process.cwd()
  onTestFinished(() => {
    process.chdir(before)
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  // `process.chdir` does not exist in worker threads; test files are processes here.
  process.chdir(folder)
  vi.stubEnv('PORT', '9001')
  vi.stubEnv('ONLINE_WINDOW_S', undefined)
  expect(loadEnvironmentFile).not.toThrow()
  writeFileSync('.env', 'PORT=9000\n# a comment\nONLINE_WINDOW_S="120"\n')
  loadEnvironmentFile()
  expect(readConfig()).toMatchObject({ port: 9001, onlineWindowS: 120 })
})

test('documents and .env.example say what the program says', async () => {
  const stale: string[] = []
  for (const [path, text] of await generatedTexts())
    if ((await readFile(path, 'utf8')) !== text) stale.push(`${path}: run \`npm run readme\``)
  expect(stale).toEqual([])
})

test('.env.example is a file of settings that are the defaults', async () => {
  const example = [...(await generatedTexts())].find(([path]) => path.endsWith('.env.example'))?.[1] ?? ''
  const lines = example.split('\n').flatMap(line => /^#([A-Z_]+)=(.*)$/.exec(line)?.slice(1, 3) ?? [])
  const given = Object.fromEntries(lines.flatMap((name, i) => (i % 2 ? [] : [[name, lines[i + 1]]])))
  expect(Object.keys(given)).toEqual(Object.values(SETTINGS).map(({ name }) => name))
  expect(readConfig(given)).toEqual(readConfig({}))
})

const INSTALLED = {
  programFolder: '/usr/local/lib/node_modules/tacho',
  uid: 1000,
  serviceFolderUid: undefined,
  home: '/home/ann',
  dataHome: undefined,
  platform: 'linux',
} as const

test('in a checkout the data is beside the program', () => {
  expect(standardDataFolder(undefined)).toBe('./data')
  expect(dataFolderFor({ ...INSTALLED, programFolder: '/srv/tacho', uid: 0 })).toBe('./data')
})

test('where npm installed the program, each user has one place, whatever folder a command is typed in', () => {
  expect(dataFolderFor(INSTALLED)).toBe('/home/ann/.local/share/tacho')
  expect(dataFolderFor({ ...INSTALLED, dataHome: '/home/ann/kept' })).toBe('/home/ann/kept/tacho')
  expect(dataFolderFor({ ...INSTALLED, dataHome: 'kept' })).toBe('/home/ann/.local/share/tacho')
  expect(dataFolderFor({ ...INSTALLED, platform: 'darwin', home: '/Users/ann' })).toBe(
    '/Users/ann/Library/Application Support/tacho',
  )
})

test('root, and the user to whom it belongs, use the folder of system services', () => {
  expect(dataFolderFor({ ...INSTALLED, uid: 0 })).toBe('/var/lib/tacho')
  expect(dataFolderFor({ ...INSTALLED, uid: 990, serviceFolderUid: 990 })).toBe('/var/lib/tacho')
  expect(dataFolderFor({ ...INSTALLED, serviceFolderUid: 990 })).toBe('/home/ann/.local/share/tacho')
})
