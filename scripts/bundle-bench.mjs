// Makes the benchmarks one file, in the way in which the program is made, as some of them run its code: a loader of the sources gives
// each function its name whenever one is made, which the program does not.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { INPUT, OUTPUT, placesOfSources } from './bundling.mjs'
import { ROOT } from './root.mjs'

const bundle = await rolldown({
  ...INPUT,
  // What measures stays as it is.
  external: [...INPUT.external, /^autocannon$/],
  input: join(ROOT, 'lab/bench/main.ts'),
  // They stay where they are.
  plugins: [placesOfSources(path => JSON.stringify(pathToFileURL(path).href))],
})
await bundle.write({ ...OUTPUT, file: process.argv[2], format: 'esm', codeSplitting: false, sourcemap: true })
await bundle.close()
