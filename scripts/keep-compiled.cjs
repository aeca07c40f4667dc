// Runs the program, and when it is told to, writes what V8 made of it: see compile.mjs.
const { mkdirSync, writeFileSync } = require('node:fs')
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
for (const thread of ['gateways/reading-worker', 'api/v2/rule-preview/folding-thread'])
  load(paths.join(DIST, `${thread}.code.js`))
load(paths.join(DIST, 'main.code.js'))
