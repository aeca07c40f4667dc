// What `npm start` and `npm test` do first. Only Node itself: in a fresh clone nothing else is there.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { writeBuild, writeComponents } from './release.mjs'
import { ROOT } from './root.mjs'

export { checkNode } from '../bin/node-version.mjs'
export { ROOT }

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']
const STAMP = join(ROOT, 'dist', '.built-from')

/** Says what is missing, and ends. */
function refuse(sentence) {
  console.error(sentence)
  process.exit(1)
}

/** Runs one program of the preparation; ends with its exit code when it fails. */
export async function run(title, command, args, environment = {}) {
  console.log(`> ${title}`)
  const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...environment } })
  const { code, reason } = await new Promise(resolve => {
    child.once('error', error => resolve({ reason: error.message }))
    child.once('close', (exitCode, signal) => resolve({ code: exitCode, reason: signal }))
  })
  if (code === 0) return
  console.error(`${title} failed${reason ? ` (${reason})` : ''}.`)
  process.exit(code || 1)
}

/** The script behind a tool of node_modules, to be run by this Node. */
export function tool(name, packageName = name) {
  const folder = join(ROOT, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[name])
}

/** Whether PostgreSQL comes along as an npm package for this machine. */
export function checkEmbeddedServer(instead) {
  const platform = `${process.platform}-${process.arch}`
  const isMusl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
  if (!PLATFORMS.includes(platform) || isMusl)
    refuse(`There is no embedded PostgreSQL for ${platform}${isMusl ? ' with musl' : ''}: ${instead}`)
}

/** Installs the packages of the lockfile unless they are there. */
export async function install() {
  if (isInstalled()) return
  // Under `npm start` this is the npm that runs; a bare name would need one in the PATH.
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []]
  if (spawnSync(command, [...args, '--version']).status !== 0)
    refuse('npm is missing: it comes with Node (https://nodejs.org), or as a package of its own on some systems.')
  await run('npm ci', command, [...args, 'ci', '--no-fund'])
}

/** Compares the lockfile with npm's own record of what it installed, which it writes last. */
function isInstalled() {
  const record = join(ROOT, 'node_modules', '.package-lock.json')
  if (!existsSync(record)) return false
  const packagesOf = path => JSON.parse(readFileSync(path, 'utf8')).packages
  const installed = packagesOf(record)
  return Object.entries(packagesOf(join(ROOT, 'package-lock.json'))).every(
    ([path, { version, optional }]) =>
      path === '' || (installed[path] ? installed[path].version === version : optional === true),
  )
}

/** Bundles src/ and console/ into dist/ unless that was done from these very files. */
export async function build() {
  const digest = digestOfSources()
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== digest) {
    rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
    await Promise.all([
      run('rolldown (service)', process.execPath, [join(ROOT, 'scripts', 'bundle.mjs')]),
      buildConsole(),
    ])
    writeComponents()
    writeFileSync(STAMP, digest)
  }
  writeBuild()
}

/** Builds the console, and beside each of its files what a browser is sent that can read it compressed. */
async function buildConsole() {
  // A test that builds it says that this is a test, and would get the libraries as they are for developers.
  const environment = { NODE_ENV: 'production' }
  await run('vite build (console)', process.execPath, [join(ROOT, 'scripts', 'bundle-console.mjs')], environment)
  const folder = join(ROOT, 'dist', 'console')
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, String(name))
    if (!/\.(js|mjs|css|html|svg|json)$/.test(path)) continue
    const bytes = readFileSync(path)
    // In threads of Node, the system takes two seconds more of processor time for it.
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
  }
}

function digestOfSources() {
  const hash = createHash('sha256')
  const names = ['src', 'lab', 'console'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true }).map(name => join(folder, String(name))),
  )
  const others = [
    'bundle.mjs',
    'bundle-console.mjs',
    'bundled-packages.mjs',
    'bundling.mjs',
    'release.mjs',
    'root.mjs',
  ].map(name => join('scripts', name))
  for (const name of [...names.sort(), ...others, 'tsconfig.json', 'package-lock.json'])
    if (statSync(join(ROOT, name)).isFile())
      hash
        .update(`${name}\0`)
        .update(readFileSync(join(ROOT, name)))
        .update('\0')
  return hash.digest('hex')
}
