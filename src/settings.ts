import { isNetwork } from './lib/networks.ts'

/** Everything that can be set. Order is the order of the documentation. */
export const SETTINGS = {
  host: setting(
    'HOST',
    '127.0.0.1',
    'address on which the API, the ingest and the console listen; dongles and the intake have addresses of their own',
    text,
  ),
  port: setting(
    'PORT',
    '8080',
    'port of the API, the ingest and the console; 0 lets the system choose',
    integer(0, 65_535),
  ),
  tlsCertFile: setting(
    'TLS_CERT',
    '',
    'PEM file of a certificate, with those between it and its authority: that port then speaks TLS only; a renewed file is taken without a restart',
    optionalText,
  ),
  tlsKeyFile: setting('TLS_KEY', '', 'PEM file of its private key', optionalText),
  intakeHost: setting(
    'INTAKE_HOST',
    '127.0.0.1',
    'address on which the intake process takes `/ingest` itself, unencrypted: for the api process and load balancers',
    text,
  ),
  intakePort: setting(
    'INTAKE_PORT',
    '0',
    'port on which the intake process takes `/ingest` itself, for a load balancer; 0 lets the system choose',
    integer(0, 65_535),
  ),
  intakeUrl: setting(
    'INTAKE_URL',
    '',
    'where an api process that runs without an intake of its own passes `/ingest` on to',
    optional(url('http')),
  ),
  dataFolder: setting(
    'TACHO_DATA',
    './data',
    'folder of the embedded database; where npm installed Tacho, by default `/var/lib/tacho` for root and for the user whose folder that is, and `~/.local/share/tacho` for others',
    text,
  ),
  databaseUrl: secret(
    'DATABASE_URL',
    '',
    'a PostgreSQL server (15 or later) of your own instead of the embedded one',
    optional(url('postgres', 'postgresql')),
  ),
  databaseReadUrl: secret(
    'DATABASE_READ_URL',
    '',
    'a streaming replica of DATABASE_URL, from which long reads of the past are done while it is at most 10 s behind',
    optional(url('postgres', 'postgresql')),
  ),
  backupDir: setting(
    'BACKUP_DIR',
    '',
    'folder, best on another disk, to which the service archives every change of the embedded database and makes backups; empty makes none',
    optionalText,
  ),
  backupEveryH: setting(
    'BACKUP_EVERY_H',
    '24',
    'hours between two backups; changes are archived within seconds all the time',
    integer(1, 168),
  ),
  email: setting(
    'TACHO_EMAIL',
    '',
    'e-mail address of the first user, created at start while there is no user',
    optional(emailAddress),
  ),
  password: secret(
    'TACHO_PASSWORD',
    '',
    'password of the first user, at least 12 characters and not a common one',
    optionalText,
  ),
  apiKey: secret(
    'TACHO_KEY',
    '',
    'key with which `tacho replay` and `tacho simulate --http` send, and `tacho score` reads',
    optionalText,
  ),
  blockedLimitS: setting(
    'BLOCKED_LIMIT_S',
    '30',
    'seconds after which a process of `tacho serve` whose event loop is blocked is ended and started again; `off` leaves it',
    unlessOff(integer(5, 3600)),
  ),
  accessTokenLifetimeS: setting(
    'ACCESS_TOKEN_LIFETIME_S',
    '864000',
    'seconds an access token is valid',
    integer(1, 31_536_000),
  ),
  rateLimit: setting('RATE_LIMIT', '600', 'requests allowed per key or user and window', integer(1, 1_000_000_000)),
  rateLimitWindowS: setting('RATE_LIMIT_WINDOW_S', '60', 'length of that window in seconds', integer(1, 86_400)),
  accountRateLimit: setting(
    'ACCOUNT_RATE_LIMIT',
    '',
    'requests allowed to all keys and users of an account together in a window; by default ten times RATE_LIMIT',
    optional(integer(1, 1_000_000_000)),
  ),
  rulesPerAccount: setting(
    'RULES_PER_ACCOUNT',
    '200',
    'rules that an account may have at a time; each is looked at with every sample of its cars',
    integer(0, 10_000),
  ),
  readTimeoutS: setting(
    'READ_TIMEOUT_S',
    '60',
    'seconds after which the database ends a query of a request, which is then answered 503',
    integer(1, 3_600),
  ),
  uploadsPerAccount: setting(
    'UPLOADS_PER_ACCOUNT',
    '32',
    'requests to `/ingest` of one account that are passed on to the intake at once by this node; more of them wait',
    integer(1, 256),
  ),
  connectionsPerClient: setting(
    'CONNECTIONS_PER_CLIENT',
    '2000',
    'connections that one address (of IPv6, one /64 network) may have open to the API; through TRUSTED_PROXIES, requests at once',
    integer(10, 100_000),
  ),
  requestLimitS: setting(
    'REQUEST_LIMIT_S',
    '300',
    'seconds within which a whole request must have arrived',
    integer(1, 86_400),
  ),
  leastBytesPerS: setting(
    'LEAST_BYTES_PER_S',
    '1000',
    'bytes a second as which no body may arrive, and no reply may be taken, more slowly for longer than STALL_LIMIT_S',
    integer(1, 1_000_000),
  ),
  stallLimitS: setting(
    'STALL_LIMIT_S',
    '60',
    'seconds for which a body may arrive, or a reply be taken, more slowly than that or not at all',
    integer(1, 3600),
  ),
  streamLimit: setting(
    'STREAM_LIMIT',
    '50',
    'live streams (`/stream`) that one key or user may have open at this node',
    integer(1, 10_000),
  ),
  accountStreamLimit: setting(
    'ACCOUNT_STREAM_LIMIT',
    '',
    'live streams that all keys and users of an account together may have open at this node; by default ten times STREAM_LIMIT',
    optional(integer(1, 10_000)),
  ),
  areaLimit: setting('AREA_LIMIT', '10000', 'areas that an account may have on the map', integer(1, 100_000)),
  streamHeartbeatS: setting(
    'STREAM_HEARTBEAT_S',
    '15',
    'seconds between the heartbeats of a live stream; a client that takes nothing for that long is dropped',
    // Clients take a longer silence for a connection that is dead.
    integer(1, 30),
  ),
  redisUrl: secret(
    'REDIS_URL',
    '',
    'a Redis server in which several nodes share the rate limit',
    optional(url('redis', 'rediss')),
  ),
  teltonikaHost: setting(
    'TELTONIKA_HOST',
    '127.0.0.1',
    'address on which dongles of Teltonika report; `0.0.0.0` lets everybody reach it, and nothing else',
    text,
  ),
  teltonikaPort: setting(
    'TELTONIKA_PORT',
    '5027',
    'port on which dongles of Teltonika report, over TCP and UDP; 0 lets the system choose, `off` closes it',
    unlessOff(integer(0, 65_535)),
  ),
  teltonikaTlsCertFile: setting(
    'TELTONIKA_TLS_CERT',
    '',
    'PEM file of a certificate for dongles that are set to TLS: that port then speaks TLS over TCP only, and UDP is closed',
    optionalText,
  ),
  teltonikaTlsKeyFile: setting('TELTONIKA_TLS_KEY', '', 'PEM file of its private key', optionalText),
  mqttUrl: secret(
    'MQTT_URL',
    '',
    'an MQTT broker (`mqtt://user:password@host:1883`, or mqtts, ws, wss) from which `tacho/{imei}/events` is received',
    optional(url('mqtt', 'mqtts', 'ws', 'wss')),
  ),
  mqttCaFile: setting(
    'MQTT_CA',
    '',
    'PEM file of the authority that certified the broker, where it is none that Node knows',
    optionalText,
  ),
  mqttClientId: setting(
    'MQTT_CLIENT_ID',
    '',
    'name of this node at the broker: kept over restarts, different for each node; by default `tacho-` and the name of the host',
    optionalText,
  ),
  mqttConnections: setting(
    'MQTT_CONNECTIONS',
    '4',
    'connections of this node to the broker; each takes up to 5,000 messages at once',
    integer(1, 64),
  ),
  unknownDevices: setting(
    'UNKNOWN_DEVICES',
    '',
    '`accept` lets an unknown dongle join, `reject` refuses it; by default accept with the embedded database while `TELTONIKA_HOST` is this machine alone, else reject',
    optional(oneOf('accept', 'reject')),
  ),
  accountEventsPerMinute: setting(
    'ACCOUNT_EVENTS_PER_MINUTE',
    '',
    'events that an account may send in a minute, unless `tacho account quota` says otherwise; empty is no bound',
    optional(integer(1, 1_000_000_000)),
  ),
  accountVolumeMb: setting(
    'ACCOUNT_VOLUME_MB',
    '',
    'megabytes of measurements that are kept of an account, unless `tacho account quota` says otherwise; empty is no bound',
    optional(integer(1, 1_000_000_000)),
  ),
  claimDays: setting(
    'CLAIM_DAYS',
    '30',
    'days after which a dongle is given up that an account registered itself, among several accounts, and that never reported',
    integer(1, 3650),
  ),
  tombstoneDays: setting(
    'TOMBSTONE_DAYS',
    '400',
    'days for which clients that sync can learn what of a deleted dongle is gone; whoever was away for longer reads the lists again',
    integer(30, 36_500),
  ),
  onlineWindowS: setting(
    'ONLINE_WINDOW_S',
    '300',
    'seconds without data after which a device counts as offline',
    integer(1, 86_400),
  ),
  securityLogDays: setting(
    'SECURITY_LOG_DAYS',
    '180',
    'lines of the security log older than this many days are dropped',
    integer(7, 36_500),
  ),
  retentionDays: setting(
    'RETENTION_DAYS',
    '',
    'measurements older than this many days are dropped, a whole week at a time; empty keeps everything',
    optional(integer(7, 36_500)),
  ),
  hotDays: setting(
    'HOT_DAYS',
    '182',
    'measurements of years that ended more days ago are kept in one table a year; newer ones in one a week',
    integer(14, 36_500),
  ),
  sealedAfterDays: setting(
    'SEALED_AFTER_DAYS',
    '7',
    'days of measurements that ended this many days ago are compressed in the background, to about a tenth of their size; `off` compresses no more',
    unlessOff(integer(2, 36_500)),
  ),
  geocoderUrl: secret(
    'GEOCODER_URL',
    '',
    'a Nominatim or Photon server that is asked for the road, house number and postcode of addresses; without it nobody is asked',
    optional(url('http', 'https')),
  ),
  geocoderKind: setting(
    'GEOCODER_KIND',
    'nominatim',
    'what kind of server that is: nominatim or photon',
    oneOf('nominatim', 'photon'),
  ),
  geocoderBudget: setting(
    'GEOCODER_BUDGET',
    '60',
    'requests per minute that it is sent at most, by all nodes together; an address takes two',
    integer(1, 60_000),
  ),
  mapStyleUrl: setting(
    'MAP_STYLE_URL',
    '',
    "style of the console's base map (MapLibre style document), which the browser asks for instead of any other map",
    optional(publicAddress),
  ),
  mapSource: setting(
    'MAP_SOURCE',
    '',
    'whose streets are shown, without asking an administrator: openfreemap, openstreetmap or none',
    optional(oneOf('openfreemap', 'openstreetmap', 'none')),
  ),
  mapSatelliteUrl: setting(
    'MAP_SATELLITE_URL',
    '',
    'address of pictures from above that the console offers, with {z}, {x} and {y}',
    optional(tileAddress),
  ),
  mapSatelliteAttribution: setting('MAP_SATELLITE_ATTRIBUTION', '', 'whom these pictures are of', value => value),
  mapFile: setting(
    'MAP_FILE',
    '',
    'a file with a map of your region (PMTiles, schema of Protomaps) for the console, with streets and house numbers; `tacho map` says how to get one',
    optionalText,
  ),
  corsOrigins: setting(
    'CORS_ORIGINS',
    '',
    'origins of browser applications that may use the API, separated by commas',
    list,
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '',
    'addresses or networks (CIDR) of reverse proxies whose X-Forwarded-For is believed, separated by commas',
    networks,
  ),
  metricsToken: secret(
    'METRICS_TOKEN',
    '',
    'what Prometheus sends as bearer token to read `/metrics`; without it, only this machine may',
    bearerToken,
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    'fatal, error, warn, info, debug, trace or silent',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
} as const

/** One setting of the environment: the row is the parser, the type, `.env.example` and the table of docs/operation/settings.md. */
interface Setting<T> {
  readonly name: string
  /** As it would be written in the environment; empty when unset means something of its own. */
  readonly standard: string
  readonly about: string
  readonly parse: Parse<T>
  /** Its value may contain a password, so no message repeats it. */
  readonly isSecret: boolean
}

/** @throws a text that says what the value must be; the caller adds the name. */
type Parse<T> = (text: string) => T

function setting<T>(name: string, standard: string, about: string, parse: Parse<T>): Setting<T> {
  return { name, standard, about, parse, isSecret: false }
}

function secret<T>(name: string, standard: string, about: string, parse: Parse<T>): Setting<T> {
  return { name, standard, about, parse, isSecret: true }
}

function text(value: string): string {
  return value
}

function optionalText(value: string): string | undefined {
  return value || undefined
}

function optional<T>(parse: Parse<T>): Parse<T | undefined> {
  return value => (value === '' ? undefined : parse(value))
}

function unlessOff<T>(parse: Parse<T>): Parse<T | undefined> {
  return value => {
    if (value.toLowerCase() === 'off') return undefined
    try {
      return parse(value)
    } catch (error) {
      throw new Error(`${(error as Error).message}, or off`, { cause: error })
    }
  }
}

function integer(least: number, most: number): Parse<number> {
  return value => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < least || number > most)
      throw new Error(`a whole number from ${least} to ${most}`)
    return number
  }
}

function oneOf<const T extends string>(...words: T[]): Parse<T> {
  return value => {
    const word = words.find(candidate => candidate === value.toLowerCase())
    if (!word) throw new Error(`one of ${words.join(', ')}`)
    return word
  }
}

function list(value: string): readonly string[] {
  return value
    .split(',')
    .map(part => part.trim())
    .filter(Boolean)
}

function networks(value: string): readonly string[] {
  const items = list(value)
  if (!items.every(isNetwork))
    throw new Error('addresses such as 10.0.0.1 or networks such as 10.0.0.0/8, separated by commas')
  return items
}

function emailAddress(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw new Error('an e-mail address')
  return value
}

/** A text that may follow `Bearer` (RFC 6750, 2.1) and is too long to be guessed. */
function bearerToken(value: string): string | undefined {
  if (value !== '' && !/^[\w\-.~+/]{16,}=*$/.test(value))
    throw new Error('at least 16 letters, digits and signs of -._~+/')
  return value || undefined
}

function url(...schemes: string[]): Parse<string> {
  return value => {
    const scheme = URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : ''
    if (!schemes.includes(scheme))
      throw new Error(`an address that starts with ${schemes.map(name => `${name}://`).join(' or ')}`)
    return value
  }
}

/** An address that every browser gets to read, of each tile of a map. */
function tileAddress(value: string): string {
  const address = publicAddress(value)
  if (!['{z}', '{x}', '{y}'].every(part => value.includes(part)) || new URL(address).host.includes('{'))
    throw new Error('the address of a server, and {z}, {x} and {y} in what follows')
  return address
}

/** An address that every browser gets to read, and that no browser asks when it contains a password. */
function publicAddress(value: string): string {
  const address = url('http', 'https')(value)
  const { username, password } = new URL(address)
  if (username || password) throw new Error('an address without user and password')
  return address
}
