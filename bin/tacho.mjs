#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { checkNode } from './node-version.mjs'
import { whenNpmEnds } from './npm-end.mjs'

checkNode()
const program = new URL('../dist/main.js', import.meta.url)
whenNpmEnds(() => process.kill(process.pid, 'SIGTERM'))
if (existsSync(program)) await import(program.href)
else {
  console.error('Tacho is not built yet: run `npm ci && npm run build`, or `npm start`, which does everything.')
  process.exitCode = 1
}
