// Runs the program, and when it is told to, writes what V8 made of it: see compile.mjs.
const { mkdirSync, readdirSync, writeFileSync } = require('node:fs')
const paths = require('node:path')
const { compiledAnew, load } = require('../bin/load-program.cjs')

const DIST = paths.join(__dirname, '../dist')

process.on('message', message => {
  if (message !== 'keep compiled') return
  for (const { path, bytes } of compiledAnew()) {
    mkdirSync(paths.dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
  process.exit(0)
})

// What runs in threads of a role does nothing outside of one.
const MAIN = 'main.code.js'
const started = readdirSync(DIST, { recursive: true }).filter(name => name.endsWith('.code.js') && name !== MAIN)
for (const name of [...started, MAIN]) load(paths.join(DIST, name))
