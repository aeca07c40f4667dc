// Adds to dist/ what auditors ask of a release: the licences of everything that is bundled, a list of components (CycloneDX),
// and which commit it was built from.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listOf } from './bundled-packages.mjs'
import { ROOT } from './root.mjs'

const DIST = join(ROOT, 'dist')

/** Copied into dist/ as it is. */
const COPIED = ['node_modules/@fastify/swagger-ui']

/** Writes dist/THIRD-PARTY-LICENSES.txt and dist/sbom.json from what the bundlers included. */
export function writeComponents() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const bundled = ['service', 'console'].flatMap(bundle => JSON.parse(readFileSync(listOf(bundle), 'utf8')))
  const packages = byName([...bundled, ...COPIED])
  writeFileSync(join(DIST, 'THIRD-PARTY-LICENSES.txt'), packages.map(licenceText).join(`\n${'='.repeat(80)}\n\n`))
  // npm installs these beside the program.
  const installed = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path]) => path)
  const components = byName([...bundled, ...COPIED, ...installed], lock).map(componentOf)
  writeFileSync(join(DIST, 'sbom.json'), `${JSON.stringify(billOf(lock, components), null, 2)}\n`)
}

/** Writes dist/build.json. It is cheap, and the commit may be another one while the sources are the same. */
export function writeBuild() {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' })
    return status === 0 ? stdout.trim() : undefined
  }
  // An unpacked archive may lie in the repository of something else.
  const commit = existsSync(join(ROOT, '.git')) ? git('rev-parse', 'HEAD') : undefined
  const isChanged = commit !== undefined && git('status', '--porcelain', '--untracked-files=no') !== ''
  const build = { commit: commit === undefined ? 'unknown' : `${commit}${isChanged ? ' with changes' : ''}` }
  writeFileSync(join(DIST, 'build.json'), `${JSON.stringify(build)}\n`)
}

/** Each version of a package once, by name. Those of other platforms are only in the lockfile. */
function byName(folders, lock) {
  const found = new Map()
  for (const folder of folders) {
    const path = join(ROOT, folder, 'package.json')
    const entry = lock?.packages[folder]
    const own = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
    const name = own.name ?? folder.replace(/^.*node_modules\//, '')
    const version = own.version ?? entry?.version
    found.set(`${name}@${version}`, { folder, name, version, own, entry })
  }
  return [...found.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1))
}

const LICENCE_FILE = /^(licen[cs]e|copying|notice|copyright|unlicense)/i

function licenceText({ folder, name, version, own }) {
  const files = readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(entry => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map(entry => readFileSync(join(ROOT, folder, entry.name), 'utf8').trim())
  const texts =
    files.length > 0 ? files : [`${authorOf(own)}The package has no text of its licence: it says ${licenceOf(own)}.`]
  return `${name} ${version}\n${licenceOf(own)}\n\n${texts.join('\n\n')}\n`
}

function authorOf({ author }) {
  const name = typeof author === 'object' ? author?.name : author
  return name ? `Copyright ${name}\n\n` : ''
}

const licenceOf = ({ license, licenses }) =>
  (typeof license === 'object' ? license?.type : license) ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'unknown'

function componentOf({ name, version, own, entry }) {
  const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
  const licence = own.name === undefined ? (entry?.license ?? 'unknown') : licenceOf(own)
  const [algorithm, digest] = entry?.integrity?.split('-', 2) ?? []
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [/[ ()]/.test(licence) ? { expression: licence } : { license: licenceId(licence) }],
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
  }
}

/** Other words than identifiers of SPDX are names. */
const licenceId = licence => (/^[A-Z0-9][A-Za-z0-9.+-]*$/.test(licence) ? { id: licence } : { name: licence })

function billOf(lock, components) {
  const { name, version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const purl = `pkg:npm/${name}@${version}`
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': purl,
        name,
        version,
        purl,
        licenses: [{ license: { id: license } }],
      },
    },
    components,
  }
}
