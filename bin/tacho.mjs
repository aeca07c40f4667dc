#!/usr/bin/env node
import './node-version.mjs'
import { existsSync } from 'node:fs'
import { whenNpmEnds } from './npm-end.mjs'

const program = new URL('../dist/main.js', import.meta.url)
whenNpmEnds(() => process.kill(process.pid, 'SIGTERM'))
if (existsSync(program)) await import(program.href)
else {
  console.error('Tacho is not built yet: run `npm ci && npm run build`, or `npm start`, which does everything.')
  process.exitCode = 1
}
