/**
 * Which folder of `src/` may import which, types included. Each may import only folders above it in this table, so
 * there are no circles. `imports.test.ts` holds the sources to it, and the table to the sources: a pair that no file needs
 * any more goes.
 */

export interface Room {
  readonly name: string
  /** Paths below `src/`: files, or folders with everything in them. Of several that hold a file, the longest counts. */
  readonly paths: readonly string[]
  /** Rooms above. */
  readonly imports: readonly string[]
  /** `none` where code is pure: no input and output, so neither modules of Node nor packages. */
  readonly packages?: 'none'
}

export const ROOMS: readonly Room[] = [
  { name: 'catalogue', paths: ['catalogue/'], imports: [], packages: 'none' },
  { name: 'model', paths: ['model/'], imports: ['catalogue'] },
  { name: 'lib', paths: ['lib/'], imports: [] },
  { name: 'config', paths: ['config.ts', 'settings.ts'], imports: ['model', 'lib'] },
  {
    name: 'tools/simulation',
    paths: ['tools/simulation/'],
    imports: ['catalogue', 'model'],
    packages: 'none',
  },
  {
    name: 'derivation of facts',
    paths: [
      'facts/assignments/derive/',
      'facts/dtcs/derive/',
      'facts/identity/derive/',
      'facts/incidents/derive/',
      'facts/latest-values/derive/',
      'facts/trips/derive/',
      'facts/fold-part.ts',
    ],
    imports: ['catalogue', 'model'],
    packages: 'none',
  },
  { name: 'db', paths: ['db/'], imports: ['catalogue', 'model', 'lib'] },
  { name: 'facts', paths: ['facts/'], imports: ['catalogue', 'model', 'derivation of facts', 'db'] },
  { name: 'access', paths: ['access/'], imports: ['catalogue', 'model', 'lib', 'db'] },
  { name: 'fleet', paths: ['fleet/'], imports: ['catalogue', 'model', 'lib', 'derivation of facts', 'db', 'facts'] },
  { name: 'geo', paths: ['geo/'], imports: ['model', 'lib', 'db', 'facts'] },
  { name: 'watch', paths: ['watch/'], imports: ['lib', 'db'] },
  {
    name: 'pipeline',
    paths: ['pipeline/'],
    imports: ['catalogue', 'model', 'lib', 'derivation of facts', 'db', 'facts', 'access', 'fleet', 'geo'],
  },
  { name: 'server/http', paths: ['server/http/'], imports: ['catalogue', 'model', 'lib', 'db', 'access'] },
  { name: 'server/embedded', paths: ['server/embedded/'], imports: ['model', 'lib'] },
  { name: 'backup', paths: ['backup/'], imports: ['model', 'lib', 'db', 'server/embedded'] },
  {
    name: 'gateways',
    paths: ['gateways/'],
    imports: ['catalogue', 'model', 'lib', 'db', 'access', 'pipeline', 'server/http'],
  },
  {
    name: 'api',
    paths: ['api/'],
    imports: [
      'catalogue',
      'model',
      'lib',
      'config',
      'derivation of facts',
      'db',
      'facts',
      'access',
      'fleet',
      'geo',
      'pipeline',
      'watch',
      'server/http',
    ],
  },
  {
    name: 'app',
    paths: ['app.ts'],
    imports: ['lib', 'config', 'db', 'access', 'geo', 'watch', 'pipeline', 'server/http', 'backup', 'gateways', 'api'],
  },
  { name: 'server', paths: ['server/'], imports: ['model', 'lib', 'config', 'db', 'access', 'server/embedded', 'app'] },
  {
    name: 'tools',
    paths: ['tools/'],
    imports: ['catalogue', 'model', 'lib', 'config', 'tools/simulation', 'derivation of facts', 'gateways', 'server'],
  },
  {
    name: 'cli',
    paths: ['cli/', 'main.ts'],
    imports: [
      'catalogue',
      'model',
      'lib',
      'config',
      'tools/simulation',
      'db',
      'facts',
      'access',
      'fleet',
      'geo',
      'pipeline',
      'server/http',
      'server/embedded',
      'backup',
      'server',
      'tools',
    ],
  },
]

/** Packages that only some rooms may import; other rooms use those. */
export const OWNED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  pg: ['db', 'server/embedded', 'backup'],
  'pg-cursor': ['db'],
  'pg-copy-streams': ['db'],
}
