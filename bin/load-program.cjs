// Loads the program, dist/, and with each of its files what V8 made of it when the program was built: to compile them is
// most of what a process does to start. CommonJS, as Node 20 gives V8 nothing of the kind for other modules.
const { readFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const paths = require('node:path')
const { cachedDataVersionTag } = require('node:v8')
const { Script, constants } = require('node:vm')

const PROGRAM = paths.join(__dirname, '..', 'dist')
/** V8 takes only what the same version of it compiled with the same options. */
const COMPILED = paths.join(PROGRAM, 'compiled', String(cachedDataVersionTag()))
const WRAPPER = '(function (exports, require, module, __filename, __dirname) {'

const requireOther = createRequire(paths.join(PROGRAM, 'main.js'))

/** What is loaded, by the path of its file. */
const loaded = new Map()

/** Runs a file of the program, once. With `--enable-source-maps` Node loads it: only then it reads these. @returns what it exports */
exports.load = path => (process.sourceMapsEnabled ? requireOther(path) : load(path))

function load(path) {
  const known = loaded.get(path)
  if (known) return known.module.exports
  const compiled = paths.join(COMPILED, `${paths.relative(PROGRAM, path).replaceAll(paths.sep, '-')}.bin`)
  const script = new Script(`${WRAPPER}${readFileSync(path, 'utf8')}\n})`, {
    filename: path,
    columnOffset: -WRAPPER.length,
    cachedData: bytesOf(compiled),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} }
  loaded.set(path, { module, script, compiled })
  const folder = paths.dirname(path)
  const requireHere = name => (name.startsWith('.') ? load(paths.resolve(folder, name)) : requireOther(name))
  script.runInThisContext()(module.exports, requireHere, module, path, folder)
  return module.exports
}

/** @returns what V8 made of the loaded files that it compiled itself, and where it looks for that: all functions that ran are in it */
exports.compiledAnew = () =>
  [...loaded.values()]
    .filter(({ script }) => script.cachedDataRejected !== false)
    .map(({ script, compiled }) => ({ path: compiled, bytes: script.createCachedData() }))

function bytesOf(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
